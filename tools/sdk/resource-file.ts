import type { ResourceSpec } from "../../provider/core/declaration/resource";
import { inputFields, outputFields } from "../../provider/core/declaration/surface";
import { exampleStatement } from "../../provider/core/schema/example-program";
import { outputFacts } from "../../provider/core/schema/facts";
import { fileName, fileText, fromDeclarations, pagePath, pulumiImport, typeImports } from "./generated-file";
import { comment, documentationOf, signature, wrapTypeArguments } from "./layout";
import { members, type TypeTexts } from "./type-text";

/** A room of classes, and how they reach the service. */
interface ClassTarget {
  /** Path, from the room, of the module that exports the function `wiring`: a kind's wiring by the kind's name. */
  module: string;
  wiring: string;
  /** Path of the types of nested messages and enums. */
  types: string;
  /** Path of the room that declares what programs give. Default: the room itself. */
  args?: string;
}

const dynamicHost: ClassTarget = {
  module: "../pulumi/dynamic",
  wiring: "dynamicWiring",
  types: "./types",
};

/** The file of a kind: what a program declares of it, where no other room does, and its class. */
export function resourceFile(spec: ResourceSpec, types: TypeTexts, host: ClassTarget = dynamicHost): string {
  const { module, wiring, args } = host;
  const body = [
    ...(args === undefined ? [argsInterface(spec, types)] : []),
    `const wiring = ${wiring}("${spec.kind}");\n`,
    classOf(spec, types),
  ];
  return fileText(body.join("\n"), [
    pulumiImport,
    { word: wiring, text: `import { ${wiring} } from "${module}";` },
    ...(args === undefined
      ? []
      : [
          { word: `${spec.kind}Args`, text: `import type { ${spec.kind}Args } from "${args}/${fileName(spec.kind)}";` },
        ]),
    ...typeImports(host.types),
  ]);
}

const argsInterface = (spec: ResourceSpec, types: TypeTexts): string =>
  `${comment({ paragraphs: [`The inputs of \`${spec.kind}\`. ${spec.summary}`] })}export interface ${spec.kind}Args {
${members(inputFields(spec), "input", types, spec)}}
`;

const constructorParameters = `@param name Name of the resource in the stack, unique among those of its type.
@param args What the program declares of the object.
@param opts Options of the resource, such as \`dependsOn\`, \`protect\` or \`provider\`.`;

function classOf(spec: ResourceSpec, types: TypeTexts): string {
  const { kind } = spec;
  const opts = "pulumi.CustomResourceOptions";
  const usage = [
    `@example\n\`\`\`ts\n${exampleStatement(spec)}\n\`\`\``,
    `@see [All inputs, outputs, states and limits](${fromDeclarations}/${pagePath(kind)})`,
  ];
  const outputs = outputFields(spec).map((field) => {
    const text = comment(documentationOf(field, outputFacts(field)), "  ");
    return `${text}${wrapTypeArguments(`  declare readonly ${field.name}: pulumi.Output<${types.memberOf(field, "output")}>;`)}\n`;
  });
  return `${comment({
    paragraphs: [spec.summary],
    tags: usage,
  })}export class ${kind} extends pulumi.CustomResource {
${outputs.join("")}
  /**
   * Reads an object that this program does not manage.
   *
   * @param name Name of the resource in the stack.
   * @param id Resource name of the object, such as \`${exampleName(spec)}\`.
   * @param state What is known of the object; it need not be given.
   * @param opts Options of the resource, such as \`provider\`.
   */
${signature("  static get", ["name: string", "id: pulumi.Input<pulumi.ID>", `state?: Partial<${kind}Args>`, `opts?: ${opts}`], `: ${kind} {`)}
    return new ${kind}(name, { ...state } as ${kind}Args, { ...opts, id });
  }

  /** Whether \`value\` is a \`${kind}\`, also one made by another copy of this package. */
  static override isInstance(value: unknown): value is ${kind} {
    return wiring.isInstance(value);
  }

${comment({ paragraphs: [spec.summary], tags: [constructorParameters, ...usage] }, "  ")}  constructor(name: string, args: ${kind}Args, opts?: ${opts}) {
    const { registration, follow, finish } = wiring.open(name, args, opts);
    try {
      super(...registration);
      follow(this);
    } finally {
      finish();
    }
  }
}
`;
}

const exampleName = ({ name }: ResourceSpec): string =>
  name.replace("{account}", "acme").replace(/\{\w+\}/g, "example");
