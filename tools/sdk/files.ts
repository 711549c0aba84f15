import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { type FunctionResult, type FunctionSpec, functionShape } from "../../provider/core/declaration/surface";
import { fieldsOf } from "../../provider/core/fields/fields";
import { functions } from "../../provider/resources/functions";
import { allSpecs, managedSpecs, specOf } from "../../provider/resources/index";
import { packageTypes } from "../schema/schema";
import { type DeclaredFunction, functionFile, pluginFile, providerFile, resourceFile, typesExport } from "./classes";
import { fileName, fileText } from "./layout";
import { typeFiles, typeTexts } from "./types";

/** The functions of the package with all that their declarations refer to. */
export const declaredFunctions: readonly DeclaredFunction[] = Object.entries<FunctionSpec>(functions).map(
  ([name, spec]) => {
    const shape = functionShape(spec, specOf);
    return {
      name,
      summary: spec.summary,
      inputs: fieldsOf(shape.arguments),
      outputs: shape.outputs,
      spec,
      inputsOf: spec.inputsOfKind,
      example: spec.example,
    };
  },
);

function kindIn(answer: FunctionResult): string | undefined {
  if ("one" in answer) return answer.one;
  return "all" in answer ? answer.all : undefined;
}

/** Kinds whose objects functions answer. */
export const observed: readonly ResourceSpec[] = allSpecs.filter(({ kind }) =>
  declaredFunctions.some(({ spec: { answer } }) => kindIn(answer) === kind),
);

/** What programs import, by its path below `provider/sdk`. */
export function sdkFiles(): Record<string, string> {
  const names = packageTypes(managedSpecs, declaredFunctions);
  const types = typeTexts(names);
  const modules = [...managedSpecs.map(({ kind }) => fileName(kind)), "functions", "provider"];
  const exported = modules.map((module) => `export * from "./${module}";\n`).join("");
  return {
    ...Object.fromEntries(managedSpecs.map((spec) => [`${fileName(spec.kind)}.ts`, resourceFile(spec, types)])),
    "functions.ts": functionFile(declaredFunctions, types),
    "provider.ts": providerFile(types),
    "plugin.ts": pluginFile(managedSpecs),
    "index.ts": fileText(`${exported}export * from "./types/enums";\n${typesExport}`, []),
    ...Object.fromEntries(
      Object.entries(
        typeFiles({ specs: managedSpecs, functions: declaredFunctions, observed, names, types, specOf }),
      ).map(([name, text]) => [`types/${name}`, text]),
    ),
  };
}
