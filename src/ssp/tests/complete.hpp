// Test files that use every element of the standard.
#pragma once

#include <string_view>

namespace consort::ssp::testing {

inline constexpr std::string_view complete_ssd_2_0 = R"(<?xml version="1.0" encoding="UTF-8"?>
<ssd:SystemStructureDescription version="2.0" name="All of it" id="doc" description="every element" author="A"
    fileversion="7" copyright="C" license="L" generationTool="T" generationDateAndTime="2024-01-02T03:04:05Z"
    xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription"
    xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon"
    xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues"
    xmlns:ssm="http://ssp-standard.org/SSP1/SystemStructureParameterMapping"
    xmlns:ssb="http://ssp-standard.org/SSP1/SystemStructureSignalDictionary"
    xmlns:own="http://example.org/own">
  <ssd:System name="root" id="rootSystem" description="the top">
    <ssd:Connectors>
      <ssd:Connector name="in" kind="input" id="c1" description="an input">
        <ssc:Real unit="degC"/>
        <ssd:ConnectorGeometry x="0" y="0.5" systemInnerX="0.125" systemInnerY="0.25"/>
        <ssd:Annotations><ssc:Annotation type="org.example.a"><own:thing a="1">text<own:deep/></own:thing></ssc:Annotation></ssd:Annotations>
      </ssd:Connector>
      <ssd:Connector name="array" kind="input"><ssc:Float64 unit="K"/><ssc:Dimension size="3"/><ssc:Dimension sizeConnector="n"/><ssc:Dimension/></ssd:Connector>
      <ssd:Connector name="n" kind="structuralParameter"><ssc:UInt64/></ssd:Connector>
      <ssd:Connector name="tick" kind="input"><ssc:Clock intervalVariability="fixed" intervalDecimal="0.1" shiftDecimal="0.05" supportsFraction="true" resolution="10" intervalCounter="1" shiftCounter="2" priority="3"/></ssd:Connector>
      <ssd:Connector name="ticked" kind="local"><ssc:Int16/><ssd:Clock name="tick"/><ssd:Clock name="tock"/></ssd:Connector>
      <ssd:Connector name="bin" kind="calculatedParameter"><ssc:Binary mime-type="image/png"/></ssd:Connector>
      <ssd:Connector name="mode" kind="parameter"><ssc:Enumeration name="Mode"/></ssd:Connector>
      <ssd:Connector name="f32" kind="output"><ssc:Float32/></ssd:Connector>
      <ssd:Connector name="i8" kind="constant"><ssc:Int8/></ssd:Connector>
      <ssd:Connector name="u8" kind="inout"><ssc:UInt8/></ssd:Connector>
      <ssd:Connector name="u16" kind="unspecified"><ssc:UInt16/></ssd:Connector>
      <ssd:Connector name="i32" kind="output"><ssc:Int32/></ssd:Connector>
      <ssd:Connector name="u32" kind="output"><ssc:UInt32/></ssd:Connector>
      <ssd:Connector name="i64" kind="output"><ssc:Int64/></ssd:Connector>
      <ssd:Connector name="b" kind="output"><ssc:Boolean/></ssd:Connector>
      <ssd:Connector name="s" kind="output"><ssc:String/></ssd:Connector>
      <ssd:Connector name="i" kind="output"><ssc:Integer/></ssd:Connector>
      <ssd:Connector name="untyped" kind="output"/>
    </ssd:Connectors>
    <ssd:ElementGeometry x1="0" y1="1" x2="20" y2="-10" rotation="90" iconSource="icon.png" iconRotation="45" iconFlip="true" iconFixedAspectRatio="true"/>
    <ssd:ParameterBindings>
      <ssd:ParameterBinding source="values.ssv" sourceBase="component" prefix="a." id="b1" description="outside">
        <ssd:ParameterMapping source="map.ssm" sourceBase="component" id="m1" description="d"/>
        <ssc:MetaData kind="general" type="text/plain" source="meta.txt" sourceBase="resource" id="md1"/>
        <ssc:Signature role="suitability" type="text/xml" source="sig.xml" sourceBase="resource"/>
        <ssd:Annotations><ssc:Annotation type="org.example.b"><x/></ssc:Annotation></ssd:Annotations>
      </ssd:ParameterBinding>
      <ssd:ParameterBinding>
        <ssd:ParameterValues>
          <ssv:ParameterSet version="2.0" name="inline" author="me">
            <ssv:Parameters>
              <ssv:Parameter name="r" id="p1" description="d"><ssv:Real value="1.5" unit="bar"/><ssv:Annotations><ssc:Annotation type="p"/></ssv:Annotations></ssv:Parameter>
              <ssv:Parameter name="ra"><ssv:Float64 value="1 2  3" unit="bar"/><ssc:Dimension size="3"/></ssv:Parameter>
              <ssv:Parameter name="f"><ssv:Float32 value="INF"/></ssv:Parameter>
              <ssv:Parameter name="i"><ssv:Integer value="-4"/></ssv:Parameter>
              <ssv:Parameter name="u64"><ssv:UInt64 value="18446744073709551615"/></ssv:Parameter>
              <ssv:Parameter name="b"><ssv:Boolean value="true"/></ssv:Parameter>
              <ssv:Parameter name="s"><ssv:String value="two  words"/></ssv:Parameter>
              <ssv:Parameter name="sa"><ssv:String><ssv:Value value="a b"/><ssv:Value value=""/></ssv:String><ssc:Dimension size="2"/></ssv:Parameter>
              <ssv:Parameter name="e"><ssv:Enumeration value="fast" name="Mode"/></ssv:Parameter>
              <ssv:Parameter name="x"><ssv:Binary mime-type="image/png" value="0aFF"/></ssv:Parameter>
            </ssv:Parameters>
            <ssv:Enumerations><ssc:Enumeration name="Mode"><ssc:Item name="fast" value="2"/></ssc:Enumeration></ssv:Enumerations>
            <ssv:Units><ssc:Unit name="bar"><ssc:BaseUnit kg="1" m="-1" s="-2" factor="100000"/></ssc:Unit></ssv:Units>
            <ssc:MetaData kind="quality" type="text/xml"><ssc:Content id="ct"><own:q/>mixed</ssc:Content><ssc:Signature role="authenticity" type="t" sourceBase="metaData"><ssc:Content><own:s/></ssc:Content></ssc:Signature></ssc:MetaData>
            <ssv:Annotations><ssc:Annotation type="set">plain text</ssc:Annotation></ssv:Annotations>
          </ssv:ParameterSet>
        </ssd:ParameterValues>
        <ssd:ParameterMapping>
          <ssm:ParameterMapping version="2.0" id="inlineMap">
            <ssm:MappingEntry source="r" target="k" suppressUnitConversion="true" id="e1" description="d"><ssc:LinearTransformation factor="2" offset="-1"/></ssm:MappingEntry>
            <ssm:MappingEntry source="b" target="c"><ssc:BooleanMappingTransformation><ssc:MapEntry source="true" target="false"/></ssc:BooleanMappingTransformation><ssm:Annotations><ssc:Annotation type="e"/></ssm:Annotations></ssm:MappingEntry>
            <ssm:MappingEntry source="i" target="j"><ssc:IntegerMappingTransformation><ssc:MapEntry source="1" target="2"/><ssc:MapEntry source="3" target="4"/></ssc:IntegerMappingTransformation></ssm:MappingEntry>
            <ssm:MappingEntry source="e" target="m"><ssc:EnumerationMappingTransformation><ssc:MapEntry source="fast" target="slow"/></ssc:EnumerationMappingTransformation></ssm:MappingEntry>
          </ssm:ParameterMapping>
          <ssc:MetaData kind="general" type="t" source="x"/>
        </ssd:ParameterMapping>
      </ssd:ParameterBinding>
      <ssd:ParameterBinding type="text/x-other"><ssd:ParameterValues><own:values><own:v/></own:values></ssd:ParameterValues></ssd:ParameterBinding>
    </ssd:ParameterBindings>
    <ssc:MetaData kind="general" type="text/plain"><ssc:Content>words</ssc:Content></ssc:MetaData>
    <ssc:Signature role="authenticity" type="t" source="s"/>
    <ssd:Elements>
      <ssd:System name="inner"/>
      <ssd:Component name="a" source="resources/a.fmu" implementation="CoSimulation" id="ca"><ssd:Connectors><ssd:Connector name="y" kind="output"/></ssd:Connectors><ssd:Annotations><ssc:Annotation type="org.example.c"><own:c/></ssc:Annotation></ssd:Annotations></ssd:Component>
      <ssd:SignalDictionaryReference name="bus" dictionary="signals"><ssd:Connectors><ssd:Connector name="sig" kind="inout"/></ssd:Connectors></ssd:SignalDictionaryReference>
      <ssd:Component name="design"/>
      <ssd:Component name="me" source="resources/a.fmu" implementation="ModelExchange"/>
      <ssd:Component name="se" source="resources/a.fmu" implementation="ScheduledExecution"/>
      <ssd:Component name="package" type="application/x-ssp-package" source="resources/sub.ssp#VarB.ssd"/>
    </ssd:Elements>
    <ssd:Connections>
      <ssd:Connection startElement="a" startConnector="y" endConnector="untyped" id="k1" description="d"><ssc:LinearTransformation/><ssd:ConnectionGeometry pointsX="1 2.5" pointsY="3 4"/><ssd:Annotations><ssc:Annotation type="k"/></ssd:Annotations></ssd:Connection>
      <ssd:Connection startConnector="array" startIndices="1 2" endElement="a" endConnector="u" endIndices="3" suppressUnitConversion="true"/>
    </ssd:Connections>
    <ssd:SignalDictionaries>
      <ssd:SignalDictionary name="signals" id="sd"><ssb:SignalDictionary version="2.0"><ssb:DictionaryEntry name="sig" id="de" description="d"><ssc:Real unit="K"/><ssc:Dimension size="2"/><ssb:Annotations><ssc:Annotation type="de"/></ssb:Annotations></ssb:DictionaryEntry><ssb:Enumerations><ssc:Enumeration name="E"><ssc:Item name="x" value="-9000000000"/></ssc:Enumeration></ssb:Enumerations><ssb:Units><ssc:Unit name="K"><ssc:BaseUnit K="1"/></ssc:Unit></ssb:Units></ssb:SignalDictionary></ssd:SignalDictionary>
      <ssd:SignalDictionary name="outside" source="resources/signals.ssb"/>
    </ssd:SignalDictionaries>
    <ssd:SystemGeometry x1="-1" y1="-2" x2="300" y2="200.5"/>
    <ssd:GraphicalElements><ssd:Note x1="1" y1="2" x2="3" y2="4" text="first&#10;second"/></ssd:GraphicalElements>
    <ssd:Annotations><ssc:Annotation type="org.example.d"><d xmlns="http://example.org/default"><e/></d></ssc:Annotation></ssd:Annotations>
  </ssd:System>
  <ssd:Enumerations><ssc:Enumeration name="Mode" id="en" description="d"><ssc:Item name="slow" value="1"/><ssc:Item name="fast" value="2"/><ssc:Annotations><ssc:Annotation type="en"/></ssc:Annotations></ssc:Enumeration></ssd:Enumerations>
  <ssd:Units>
    <ssc:Unit name="degC"><ssc:BaseUnit K="1" offset="273.15"/></ssc:Unit>
    <ssc:Unit name="K" id="un" description="d"><ssc:BaseUnit K="1"/><ssc:Annotations><ssc:Annotation type="un"/></ssc:Annotations></ssc:Unit>
    <ssc:Unit name="lot"><ssc:BaseUnit kg="1" m="2" s="-3" A="4" K="-5" mol="6" cd="7" rad="-8" factor="1e-3" offset="2"/></ssc:Unit>
  </ssd:Units>
  <ssd:DefaultExperiment startTime="0.5" stopTime="20"><ssd:Annotations><ssc:Annotation type="x"/></ssd:Annotations></ssd:DefaultExperiment>
  <ssc:MetaData kind="general" type="t" source="m"/>
  <ssc:Signature role="authenticity" type="t" source="s"/>
  <ssd:Annotations><ssc:Annotation type="top"/></ssd:Annotations>
</ssd:SystemStructureDescription>
)";

}  // namespace consort::ssp::testing
