/* The names of MPI that SUNDIALS 7 refers to when it was built with MPI. They are needed to link and are never used: a
 * context of Consort has no communicator. Linked instead of an MPI library, which would take a fifth of a second to
 * load, and install handlers of crashes in every program that loads libconsort. */
char ompi_mpi_comm_null[1]; /* Open MPI: its address means "no communicator" */

static int not_available(void) { return 1; } /* any value but MPI_SUCCESS */

int MPI_Comm_dup(const void* communicator, void* copy) { return (void)communicator, (void)copy, not_available(); }
int MPI_Comm_free(void* communicator) { return (void)communicator, not_available(); }
int MPI_Comm_rank(const void* communicator, int* rank) { return (void)communicator, (void)rank, not_available(); }
