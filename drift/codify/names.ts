import { camelCase, lastSegment, slug } from "../../provider/core/values/names";
import type { ListedObject } from "./live";

/** Names of a declaration: in the program, and in the stack. */
export interface DeclarationNames {
  variable: string;
  logicalName: string;
}

/** Words that cannot name a variable of a module, and names that the program has other uses for. */
const taken =
  "arguments await break case catch class config console const continue debugger default delete do else enum eval export exports extends false finally for function global if implements import in instanceof interface let module new null package private process protected public pulumi require return static super switch this throw true try typeof undefined var void while with yield";

/** Gives names, each once, made from the ids of the objects. */
export class UniqueNames {
  private readonly variables: Set<string>;
  private readonly logicalNames: Set<string>;
  /** The first account that has an object of that label. */
  private readonly owners = new Map<string, string>();

  /** Names that a program already uses: its variables, and its resources as `Kind/name`. */
  constructor(variables: Iterable<string> = [], resources: Iterable<string> = []) {
    this.variables = new Set([...taken.split(" "), ...variables]);
    this.logicalNames = new Set(resources);
  }

  variable(...candidates: readonly string[]): string {
    return unique(this.variables, candidates.map(identifier));
  }

  of(object: ListedObject): DeclarationNames {
    const { spec, account } = object;
    const label = labelOf(object);
    const logical = /^[\w.-]+$/.test(label) ? label : slug(label);
    const logicalName = unique(
      this.logicalNames,
      [logical, `${account}-${logical}`].map((name) => `${spec.kind}/${name}`),
    ).slice(spec.kind.length + 1);
    // The prefix that distinguishes two objects of one label: the account, or the kind.
    const owner = this.owners.get(label) ?? account;
    this.owners.set(label, owner);
    const [byKind, byAccount] = [`${label}-${spec.kind}`, `${account}-${label}`];
    return {
      logicalName,
      variable: this.variable(
        label,
        ...(owner === account ? [byKind, byAccount] : [byAccount, byKind]),
        `${account}-${label}-${spec.kind}`,
      ),
    };
  }
}

/** The name that somebody has chosen for the one object there is. */
export class ChosenName extends UniqueNames {
  constructor(private readonly name: string) {
    super();
  }

  override of(): DeclarationNames {
    return { logicalName: this.name, variable: this.variable(this.name) };
  }
}

/**
 * What distinguishes an object from others of its kind: its id, its natural key if the service made the id, or the kind
 * if there is only one.
 */
function labelOf({ spec, name, fields }: ListedObject): string {
  if (spec.singleton) return spec.kind.replace(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
  const key = (spec.identity.naturalKey ?? []).map((part) => fields[part]);
  const hasKey =
    spec.identity.decidedBy === "service" &&
    key.length > 0 &&
    key.every((part) => typeof part === "string" && part !== "");
  return hasKey ? key.map((part) => lastSegment(String(part))).join("-") : lastSegment(name);
}

/** A lower-case name of letters and digits: `support-8b` is `support8b`, `STORAGE_KEY` is `storageKey`. */
function identifier(text: string): string {
  const words = camelCase(slug(text.replace(/(?<=[a-z0-9])(?=[A-Z])/g, "-")).replaceAll("-", "_"));
  return /^[a-z]/.test(words) ? words : `x${words}`;
}

function unique(used: Set<string>, candidates: readonly string[]): string {
  const last = candidates.at(-1)!;
  const free = candidates.find((candidate) => !used.has(candidate)) ?? numbered(used, last);
  used.add(free);
  return free;
}

function numbered(used: ReadonlySet<string>, base: string): string {
  let number = 2;
  while (used.has(`${base}${number}`)) number += 1;
  return `${base}${number}`;
}
