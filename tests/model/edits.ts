import { specOf } from "../../provider/resources/index";
import type { Values } from "../values";
import type { Declaration, Program } from "./program";
import type { ProgramEdit } from "./scenario";

/** Texts that must not be seen anywhere; a number follows. */
export const canary = "canary/+%";

const model = (name: string): string => `accounts/platform/models/${name}`;

/** Inputs of a kind; neighbouring variants differ in what can change in place, others in what makes another object. */
export const inputsOf: Readonly<Record<string, (variant: number) => Values>> = {
  User: (variant) => ({
    email: ["ada@example.com", "bob@example.com", "cleo@example.com"][(variant >> 2) % 3],
    role: ["user", "contributor", "admin"][variant % 3],
    ...(variant % 4 === 3 && { displayName: `User ${variant}` }),
  }),
  Secret: (variant) => ({ keyName: ["STORAGE_KEY", "TRACKING_KEY"][(variant >> 2) % 2], value: `${canary}${variant}` }),
  Deployment: (variant) => ({
    baseModel: model(["open-8b", "open-1b", "missing", "open-8b"][variant >> 2]!),
    deploymentShape: "default",
    maxReplicaCount: 1 + (variant % 3),
    ...(variant % 2 === 1 && {
      deploymentId: ["chat", "search"][(variant >> 1) % 2],
      onSoftDeletedConflict: "hardDelete",
    }),
  }),
  SupervisedFineTuningJob: (variant) => ({
    baseModel: model("open-8b"),
    dataset: "accounts/acme/datasets/tickets",
    epochs: 1 + (variant % 2),
  }),
  PolicySettings: (variant) => ({
    residency: ["US", "EUROPE"][variant % 2],
    onDelete: ["retain", "clear", "restorePrevious"][(variant >> 1) % 3],
    allowLoosening: true,
  }),
};

/** What there can be only one of, as a text; undefined where there can be any number. */
export function identityOf({ kind, inputs }: Pick<Declaration, "kind" | "inputs">): string | undefined {
  const spec = specOf(kind)!;
  if (spec.singleton) return kind;
  const key = (spec.identity.naturalKey ?? []).map((name) => inputs[name]);
  if (key.length > 0) return `${kind} ${key.join(" ")}`;
  const id = spec.fields.resourceId && inputs[spec.fields.resourceId.name];
  return id === undefined ? undefined : `${kind} ${String(id)}`;
}

/** The program after an edit; one that would declare an object twice by chance is left out. */
export function edited(
  program: Program,
  edit: ProgramEdit,
  count: number,
  idOf: (declaration: Declaration) => string | undefined = () => undefined,
): Program {
  if (edit.edit === "add") {
    const declaration = { kind: edit.kind, name: `r${count}`, inputs: inputsOf[edit.kind]!(edit.variant), options: {} };
    return unlessTwice(program, [...program, declaration]);
  }
  const old = program[edit.at % Math.max(1, program.length)];
  if (!old) return program;
  const replace = (declaration: Declaration): Program => program.map((each) => (each === old ? declaration : each));
  switch (edit.edit) {
    case "remove":
      return program.filter((each) => each !== old);
    case "rename":
      return replace(renamed(old, `r${count}`, edit.how));
    case "collide":
      // Settings exist once: with a target, no check sees that another resource has them; its create names the two.
      return specOf(old.kind)!.singleton ? program : [...program, rivalOf(old, `r${count}`, idOf(old))];
    case "change":
      return unlessTwice(program, replace({ ...old, inputs: changed(old, edit.variant) }));
    case "option":
      return replace({ ...old, options: { ...old.options, ...toggled(old, edit.option) } });
  }
}

const unlessTwice = (before: Program, after: Program): Program => {
  const identities = after.map(identityOf).filter((identity) => identity !== undefined);
  return new Set(identities).size < identities.length ? before : after;
};

/** Another resource that wants what the old one has: by the same key, or by an id that the old one has left open. */
const rivalOf = ({ kind, inputs }: Declaration, name: string, id: string | undefined): Declaration => ({
  ...{ kind, name, options: {} },
  inputs: { ...inputs, ...(kind === "Deployment" && id !== undefined && { deploymentId: id }) },
});

/** A user's e-mail address is that person's, and stays. */
const changed = ({ kind, inputs }: Declaration, variant: number): Values => ({
  ...(inputs["adopt"] !== undefined && { adopt: inputs["adopt"] }),
  ...inputsOf[kind]!(variant),
});

function renamed(old: Declaration, name: string, how: "alias" | "adopt" | "plain"): Declaration {
  const { aliases, ...options } = old.options;
  if (how === "alias") return { ...old, name, options: { ...options, aliases: [...(aliases ?? []), old.name] } };
  return { ...old, name, options, inputs: { ...old.inputs, ...(how === "adopt" && { adopt: "overwrite" }) } };
}

function toggled({ kind, options }: Declaration, option: string): Partial<Declaration["options"]> {
  if (option !== "replaceOnChanges") return { [option]: !options[option as "protect"] };
  const key = { User: "displayName", Secret: "value", Deployment: "maxReplicaCount" }[kind];
  return { replaceOnChanges: key === undefined || options.replaceOnChanges ? [] : [key] };
}
