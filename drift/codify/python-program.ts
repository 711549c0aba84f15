import { inputFields } from "../../provider/core/declaration/surface";
import type { GeneratedDeclaration } from "./declarations";
import { isImportable } from "./import-document";
import { adoption, type CodifyOptions, headline, keywordsOf, type ProgramFiles } from "./program";
import { call, pythonExpression, pythonName, pythonText } from "./python-printer";

/** The program that makes `declarations`, in their order, in Python: one file. */
export function pythonFiles(declarations: readonly GeneratedDeclaration[], options: CodifyOptions): ProgramFiles {
  const referredTo = new Set(keywordsOf(declarations).keys());
  const usesConfig = declarations.some(({ config }) => config.length > 0);
  const blocks = [
    `# ${headline(declarations, options.mode)}`,
    "import pulumi\nimport pulumi_modelplatform as modelplatform",
    ...(usesConfig ? ["config = pulumi.Config()"] : []),
    ...[...options.providers].map(
      ([account, variable]) =>
        `${pythonName(variable)} = modelplatform.Provider(${pythonText(account)}, account_id=${pythonText(account)})`,
    ),
    ...declarations.map((declaration) => statement(declaration, options, referredTo.has(declaration))),
  ];
  return { "__main__.py": `${blocks.join("\n\n")}\n` };
}

/** The declaration as a statement; one that another refers to has a variable. */
function statement(
  declaration: GeneratedDeclaration,
  { mode, providers }: CodifyOptions,
  isReferredTo: boolean,
): string {
  const { object, logicalName, variable, inputs } = declaration;
  const adopts = mode === "adopt" || !isImportable(declaration);
  const fields = inputFields(object.spec);
  const named = Object.entries(adopts ? { ...inputs, ...adoption(object.spec) } : inputs).map(
    ([name, value]): [string, string] => {
      const field = fields.find((candidate) => candidate.name === name);
      const python = pythonName(name);
      return [python, pythonExpression(value, field, 1, 4 + python.length + 2)];
    },
  );
  const options = optionsOf(providers.get(object.account), !adopts);
  const made = call(
    `modelplatform.${object.spec.kind}`,
    [pythonText(logicalName)],
    [...named, ...(options === undefined ? [] : ([["opts", options]] as [string, string][]))],
  );
  return isReferredTo ? `${pythonName(variable)} = ${made}` : made;
}

/** Imported resources are protected: a program that does not say so removes the protection with its first `up`. */
function optionsOf(provider: string | undefined, isProtected: boolean): string | undefined {
  const given = [
    ...(provider === undefined ? [] : [`provider=${pythonName(provider)}`]),
    ...(isProtected ? ["protect=True"] : []),
  ];
  return given.length === 0 ? undefined : `pulumi.ResourceOptions(${given.join(", ")})`;
}
