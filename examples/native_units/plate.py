"""A plate on a spring and a damper, as a class in Python."""

import consort


class Plate(consort.Model):
    states = {"z": consort.Var(0.1, "m", depends_on=["w"]), "w": consort.Var(0, "m/s")}
    inputs = {"force": consort.Var(0, "N")}
    outputs = {"spring": consort.Var(unit="N", depends_on=["z"])}
    parameters = {"m": consort.Var(2, "kg"), "k": consort.Var(50, "N/m"), "d": consort.Var(4, "N.s/m")}
    stop_time = 3

    def derivatives(self, t, x, u):
        return x.w, (u.force - self.k * x.z - self.d * x.w) / self.m

    def output_values(self, t, x, u):
        return -self.k * x.z
