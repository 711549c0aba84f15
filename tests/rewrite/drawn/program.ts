import fc from "fast-check";
import { stringify } from "yaml";
import type { ResourceSpec } from "../../../provider/core/declaration/resource";
import type { Draw } from "../../core/answering-service";
import type { Values } from "../../values";
import { bracketed, look, type SourceStyle, scalarText, textLiteral, wrapped } from "./look";

/** A resource of a program, and what the program says of it. */
export interface DrawnResource {
  spec: ResourceSpec;
  name: string;
  inputs: Values;
  /** Its arguments are all told by the text of the program. */
  isPlain: boolean;
}

/** A program in a style of its own. */
export interface Source {
  /** By name; among them the stack's config, if the program reads any. */
  files: Record<string, string>;
  /** Constants that hold the value at a path of a resource's arguments, by their names. */
  constants: ReadonlyMap<string, HeldValue>;
  /** Keys of the config by resource and field. */
  keys: ReadonlyMap<string, string>;
}

export interface HeldValue {
  resource: string;
  path: readonly string[];
}

export const configFile = "Pulumi.dev.yaml";

/** How the value of an argument gets there: from where it can be changed, and from where it cannot. */
const own = ["inline", "inline", "inline", "constant", "member", "shorthand", "config"] as const;
const others = ["exported", "twice", "module", "computed", "conditional"] as const;
const ways = [...own, ...own, ...others] as const;
const plain = ways.filter((way) => way !== "config" && way !== "computed" && way !== "conditional");

/** Where a resource is made: once for sure, or as often as something else decides. */
const once = ["statement", "variable", "export", "void", "block", "main", "array"] as const;
const often = ["factory", "loop", "map", "component", "subclass"] as const;
const forms = [...once, ...once, ...often] as const;

/** A word that a module cannot have for a name. */
const reserved = /^(public|default|package|static|private|protected|interface|import|export|config|pick)$/;

/** Writes the resources as a program, each in one of many styles. */
export function writeProgram(draw: Draw, resources: readonly DrawnResource[]): Source {
  const shared: string[] = [];
  const source: Source & { constants: Map<string, HeldValue>; keys: Map<string, string> } = {
    files: {},
    constants: new Map(),
    keys: new Map(),
  };
  const config: Values = {};
  const style = draw(() => look);
  const entry = new Writer(draw, style, "./", source, config, shared);
  for (const resource of resources) {
    if (draw(fc.boolean)) entry.declare(resource);
    else {
      const part = new Writer(draw, { ...draw(() => look) }, "../", source, config, shared);
      part.declare(resource, true);
      source.files[`parts/${resource.name}.ts`] = part.text();
      entry.imports.push(`import "./parts/${resource.name}"`);
    }
  }
  source.files["index.ts"] = entry.text();
  if (shared.length > 0) source.files["shared.ts"] = `${shared.join("\n")}\n`;
  if (Object.keys(config).length > 0)
    source.files[configFile] =
      `# Of the team.\n${stringify({ config: { "shop:region": "eu", ...config } }, { lineWidth: 0 })}`;
  return source;
}

/** Writes one file. */
class Writer {
  readonly imports: string[] = [];
  private readonly body: string[] = [];
  private readonly kinds = new Map<string, string>();
  private readonly shared: string[] = [];
  private readonly isNamespace: boolean;
  private readonly isAliased: boolean;
  private usesConfig = false;
  private usesPick = false;
  private usesComponent = false;
  /** Statements that the next declaration needs above it. */
  private above: string[] = [];
  private isAlone = false;
  private isPlain = false;
  /** No constants within the value. */
  private isFlat = false;

  constructor(
    private readonly draw: Draw,
    private readonly look: SourceStyle,
    private readonly root: string,
    private readonly source: Source & { constants: Map<string, HeldValue>; keys: Map<string, string> },
    private readonly config: Values,
    private readonly module: string[],
  ) {
    this.isNamespace = draw(fc.boolean) && draw(fc.boolean);
    this.isAliased = draw(fc.boolean) && draw(fc.boolean);
  }

  text(): string {
    const { newline, semicolon, quote } = this.look;
    const from = (text: string, name: string): string => `import ${text} from ${textLiteral(name, quote)}`;
    const kinds = [...this.kinds].map(([kind, name]) => (kind === name ? kind : `${kind} as ${name}`)).join(", ");
    const own = this.isNamespace ? "* as mp" : `{ ${kinds} }`;
    const head = [
      ...(this.usesConfig || this.usesComponent ? [from("* as pulumi", "@pulumi/pulumi")] : []),
      ...(this.kinds.size > 0 || this.isNamespace ? [from(own, "pulumi-modelplatform")] : []),
      ...(this.shared.length > 0 ? [from(`{ ${this.shared.join(", ")} }`, `${this.root}shared`)] : []),
      ...this.imports,
      ...(this.usesConfig ? ["const config = new pulumi.Config()"] : []),
      ...(this.usesPick ? ["const pick = <T>(value: T): T => value"] : []),
    ];
    const lines = [...head.map((line) => `${line}${semicolon}`), ...this.body];
    return `// A program.${newline}${lines.join(newline)}${newline}`;
  }

  declare(resource: DrawnResource, isAlone = false): void {
    this.isAlone = isAlone;
    this.isPlain = resource.isPlain;
    this.above = [];
    const { newline, semicolon } = this.look;
    const form = this.draw(fc.constantFrom, ...forms);
    const statement = this.form(form, resource);
    const gap = this.draw(fc.constantFrom, "", `${newline}// Between.${newline}`, newline);
    this.body.push(`${gap}${[...this.above.map((each) => `${each}${semicolon}`), statement].join(newline)}`);
  }

  private className(kind: string): string {
    if (this.isNamespace) return `mp.${kind}`;
    const name = this.isAliased ? `The${kind}` : kind;
    this.kinds.set(kind, name);
    return name;
  }

  private form(form: (typeof forms)[number], { name, spec, inputs }: DrawnResource): string {
    const { newline, indent, semicolon, quote } = this.look;
    const kind = this.className(spec.kind);
    const inner = ["block", "main", "factory", "loop"].includes(form) ? indent : "";
    const within = form === "component" || form === "subclass" ? indent + indent : inner;
    const args = this.args(name, inputs, within);
    const made = (named: string, text = args): string => `new ${kind}(${named}${text === "" ? "" : `, ${text}`})`;
    const quoted = textLiteral(name, quote);
    const end = semicolon;
    const body = (head: string, line: string, tail = "}"): string =>
      `${head}${newline}${inner}${line}${end}${newline}${tail}`;
    switch (form) {
      case "statement":
        return `${made(this.nameText(name))}${end}`;
      case "variable":
        return `const ${name} = ${made(this.nameText(name))}${end}`;
      case "export":
        return `export const ${name} = ${made(this.nameText(name))}${end}`;
      case "void":
        return `void ${made(this.nameText(name))}${end}`;
      case "array":
        return `export const all_${name} = [${made(this.nameText(name))}]${end}`;
      case "block":
        // Behind parentheses, the compiler would take the brace for the body of a function.
        return body(semicolon === "" ? ";{" : "{", made(this.nameText(name)));
      case "main":
        return `${body(`function main_${name}() {`, made(this.nameText(name)))}${newline}main_${name}()${end}`;
      case "factory":
        return `${body(`function make_${name}(name: string) {`, `return ${made("name")}`)}${newline}make_${name}(${quoted})${end}`;
      case "loop":
        return body(`for (const name of [${quoted}]) {`, made("name"));
      case "map":
        return `export const all_${name} = [${quoted}].map((name) => ${made("name")})${end}`;
      case "component": {
        this.usesComponent = true;
        const head = `class C_${name} extends pulumi.ComponentResource {${newline}${indent}constructor() {${newline}`;
        return `${head}${within}super(${quoted}, ${quoted})${end || ";"}${newline}${within}${made(quoted)}${end}${newline}${indent}}${newline}}${newline}void new C_${name}()${end}`;
      }
      case "subclass": {
        const head = `class S_${name} extends ${kind} {${newline}${indent}constructor() {${newline}`;
        return `${head}${within}super(${quoted}${args === "" ? "" : `, ${args}`})${end}${newline}${indent}}${newline}}${newline}void new S_${name}()${end}`;
      }
    }
  }

  private nameText(name: string): string {
    const { quote } = this.look;
    const way = this.draw(fc.constantFrom, "plain", "plain", "plain", "constant", "template", "sum");
    if (way === "sum") return `"d" + ${textLiteral(name.slice(1), quote)}`;
    if (way === "plain") return textLiteral(name, quote);
    this.above.push(`const ${name}_name = ${textLiteral(name, quote)}`);
    return way === "constant" ? `${name}_name` : `\`\${${name}_name}\``;
  }

  private args(name: string, inputs: Values, indent: string): string {
    const entries = Object.entries(inputs);
    if (entries.length === 0) return this.draw(fc.boolean) ? "" : "{}";
    const way = this.draw(fc.constantFrom, "inline", "inline", "inline", "constant", "spread first", "spread last");
    const members = (of: typeof entries, at: string) =>
      of.map(([field, value]) => ({ text: this.member(name, field, value, at), remark: `${name}.${field}` }));
    if (way === "inline") return wrapped(this.draw, bracketed(["{", "}"], members(entries, indent), this.look, indent));
    if (way === "constant") {
      const text = bracketed(["{", "}"], members(entries, ""), this.look, "");
      this.hold(`${name}_args`, name, []);
      this.above.push(`const ${name}_args = ${text}`);
      return `${name}_args`;
    }
    const middle = Math.floor(entries.length / 2);
    const base = bracketed(["{", "}"], members(entries.slice(0, middle), ""), this.look, "");
    this.hold(`${name}_base`, name, []);
    this.above.push(`const ${name}_base = ${base}`);
    const rest = members(entries.slice(middle), indent);
    const spread = { text: `...${name}_base`, remark: `${name}.base` };
    const all = way === "spread first" ? [spread, ...rest] : [...rest, spread];
    return bracketed(["{", "}"], all, this.look, indent);
  }

  private hold(constant: string, resource: string, path: readonly string[]): string {
    this.source.constants.set(constant, { resource, path });
    return constant;
  }

  private member(name: string, field: string, value: unknown, indent: string): string {
    const way = this.draw(fc.constantFrom, ...(this.isPlain ? plain : ways));
    const inner = indent + (this.look.lines ? this.look.indent : "");
    const constant = `${name}_${field}`;
    const key = this.key(field);
    const text = (at: string): string => wrapped(this.draw, this.value(name, [field], value, at));
    switch (way) {
      case "inline":
        return `${key}: ${text(inner)}`;
      case "constant":
        this.above.push(`const ${this.hold(constant, name, [field])} = ${text("")}`);
        return `${key}: ${constant}`;
      case "member":
        this.above.push(`const ${this.hold(constant, name, [field])} = { value: ${text("")} }`);
        return `${key}: ${constant}.value`;
      case "shorthand":
        if (!this.isAlone || reserved.test(field)) return `${key}: ${text(inner)}`;
        this.above.push(`const ${this.hold(field, name, [field])} = ${text("")}`);
        return field;
      case "exported":
        this.above.push(`export const ${constant} = ${text("")}`);
        return `${key}: ${constant}`;
      case "twice":
        this.above.push(`const ${constant} = ${text("")}`, `export const other_${constant} = ${constant}`);
        return `${key}: ${constant}`;
      case "module":
        this.isFlat = true;
        this.module.push(`export const ${constant} = ${text("")};`);
        this.isFlat = false;
        this.shared.push(constant);
        return `${key}: ${constant}`;
      case "config":
        return `${key}: ${this.configText(name, field, value) ?? text(inner)}`;
      case "computed":
        this.usesPick = true;
        return `${key}: pick(${text(inner)})`;
      default:
        return `${key}: 1 > 0 ? ${text(inner)} : ${text(inner)}`;
    }
  }

  /** Reads the value from the config, if that can hold it. */
  private configText(name: string, field: string, value: unknown): string | undefined {
    const json = JSON.stringify(value);
    if (value === null || /\\ud[89a-f]/i.test(json)) return undefined;
    const key = `${name}${field}`;
    const type = { string: "", number: "Number", boolean: "Boolean" }[typeof value as string] ?? "Object";
    const verb = this.draw(fc.constantFrom, "get", "require");
    this.usesConfig = true;
    this.source.keys.set(`${name}.${field}`, `shop:${key}`);
    this.config[`shop:${key}`] = type === "Object" || this.draw(fc.boolean) ? value : String(value);
    return `config.${verb}${type}(${textLiteral(key, this.look.quote)})`;
  }

  private key(name: string): string {
    if (!/^[A-Za-z_]\w*$/.test(name) || name === "__proto__")
      return name === "__proto__" ? '["__proto__"]' : textLiteral(name, this.look.quote);
    return this.draw(fc.constantFrom, name, name, name, textLiteral(name, this.look.quote), `["${name}"]`);
  }

  /** In a list, `isListed`, paths lead to the list alone. */
  private value(name: string, path: readonly string[], value: unknown, indent: string, isListed = false): string {
    if (value === null || typeof value !== "object") return scalarText(this.draw, value as string, this.look);
    const step = this.look.lines ? indent + this.look.indent : indent;
    const remark = `${name}.${path[0]}`;
    if (Array.isArray(value)) {
      const entries = value.map((entry) => ({ text: this.value(name, path, entry, step, true), remark }));
      return bracketed(["[", "]"], entries, this.look, indent);
    }
    const members = Object.entries(value).map(([key, member]) => ({
      text: `${this.key(key)}: ${this.nested(name, isListed ? path : [...path, key], member, step, isListed)}`,
      remark,
    }));
    return bracketed(["{", "}"], members, this.look, indent);
  }

  private nested(name: string, path: readonly string[], value: unknown, indent: string, isListed: boolean): string {
    const text = (at: string): string => wrapped(this.draw, this.value(name, path, value, at, isListed));
    if (this.isFlat || this.draw(fc.nat, 9) > 0) return text(indent);
    const constant = `${name}_${path[0]}_${this.source.constants.size}`;
    this.hold(constant, name, path);
    const above = `const ${constant} = ${text("")}`;
    this.above.push(above);
    return constant;
  }
}
