import { groupBy } from "../../provider/core/values/grouping";
import { foldAscii } from "../../provider/core/values/letter-case";
import type { Values } from "../../provider/core/values/values";
import { z } from "../../provider/core/zod";
import { fieldOf, flagIn, isUnjudged, onceKnown, otherSpelling, textIn, Unjudged, wordIn } from "./read-values";
import { type Declared, guardrail, type Objection, unjudged } from "./rule";

const roleField = fieldOf("User", "role");

export const admins = guardrail({
  name: "admins-listed",
  decision: { emails: ["ada@example.com"] },
  description: "Only users on the list are admins.",
  config: z.object({
    emails: z
      .array(
        z
          .string()
          .regex(/^[^@\s]+@[^@\s]+$/, "is not an e-mail address; ids of service accounts are `serviceAccounts`"),
      )
      .default([])
      .describe("E-mail addresses of people who are permitted admins. ASCII letter case does not count."),
    serviceAccounts: z
      .array(z.string().regex(/^[^@/\s]+$/, "is not the id of a service account; addresses of people are `emails`"))
      .default([])
      .describe("Ids of service accounts that are permitted admins, exactly as they are."),
    presets: z
      .array(z.string().refine((preset) => preset.trim() !== "", "names no preset: it is blank"))
      .default([])
      .describe("Permission presets of the role `custom` that do not amount to an admin."),
  }),
  kinds: ["User"],
  object: ({ inputs }, config) => {
    const who = whoIs(inputs);
    return !isUnjudged(who) && entryOf(who, config) !== undefined
      ? undefined
      : roleProblem(inputs, who, config.presets);
  },
  among: (users, config) => {
    const listed = users.flatMap((user) => {
      const who = onceKnown(() => whoIs(user.inputs));
      const entry = who === undefined || isUnjudged(who) ? undefined : entryOf(who, config);
      return entry === undefined ? [] : [{ user, entry }];
    });
    return [...groupBy(listed, ({ entry }) => entry)].flatMap(([, same]) =>
      same.length === 1 ? [] : same.flatMap(({ user, entry }) => sharedEntryProblem(user, entry, same, config.presets)),
    );
  },
});

/** A person by the e-mail address, a service account by the id: the other one is what others may choose. */
interface Identity {
  list: "emails" | "serviceAccounts";
  /** The field that identifies it. */
  field: "email" | "userId";
  /** Empty if it is not set, or not text. */
  value: string;
}

function whoIs(inputs: Values): Identity | Unjudged {
  const isServiceAccount = flagIn("serviceAccount", inputs["serviceAccount"]) ?? false;
  if (isUnjudged(isServiceAccount)) return isServiceAccount;
  const field = isServiceAccount ? "userId" : "email";
  const value = textIn(field, inputs[field]);
  return {
    list: isServiceAccount ? "serviceAccounts" : "emails",
    field,
    value: typeof value === "string" ? value : "",
  };
}

interface PermittedAdmins {
  emails: readonly string[];
  serviceAccounts: readonly string[];
  presets: readonly string[];
}

/** The entry of the list that names them. */
const entryOf = ({ list, value }: Identity, config: PermittedAdmins): string | undefined =>
  list === "emails"
    ? config.emails.find((listed) => foldAscii(listed) === foldAscii(value))
    : config.serviceAccounts.find((listed) => listed === value);

/** What the role says of somebody whom no list names. */
function roleProblem(
  inputs: Values,
  who: Identity | Unjudged,
  presets: readonly string[],
): string | Unjudged | undefined {
  const role = wordIn(roleField, inputs["role"]);
  if (isUnjudged(role)) return role;
  if (role === undefined || role.word === "")
    return new Unjudged("has no `role`, so that the policy cannot judge it. Set `role`.");
  const { word, isExact } = role;
  if (word === "admin") return isUnjudged(who) ? who : unlistedAdmin(who);
  if (!isExact) return otherSpelling("role", inputs["role"], word);
  return word === "custom" ? presetProblem(inputs["permissionPreset"], presets) : undefined;
}

const unlistedAdmin = ({ list, field, value }: Identity): string =>
  value === ""
    ? `is an admin, and has no \`${field}\` by which \`${list}\` of the rule could name it. Choose another \`role\`, or set \`${field}\`.`
    : `is an admin, and ${value} is not on the list. Choose another \`role\`, or add ${value} to \`${list}\` of the rule.`;

/** An entry permits one object: of several, it is not known which one is meant. */
function sharedEntryProblem(
  user: Declared,
  entry: string,
  same: readonly { user: Declared }[],
  presets: readonly string[],
): Objection[] {
  const isHarmless = roleProblem(user.inputs, { list: "emails", field: "email", value: entry }, presets) === undefined;
  if (isHarmless) return [];
  const names = same.map((other) => other.user.urn).filter((urn) => urn !== user.urn);
  const says = `has a role that only ${entry} may have, and so ${names.length === 1 ? "is" : "are"} ${names.join(", ")}: which one the list means is not known. Keep one of them.`;
  return [unjudged(user, new Unjudged(says))];
}

/** What a preset permits is known only to who names it in the configuration. */
function presetProblem(value: unknown, presets: readonly string[]): Unjudged | undefined {
  const preset = textIn("permissionPreset", value);
  if (isUnjudged(preset)) return preset;
  if (preset !== undefined && presets.includes(preset)) return undefined;
  const what = preset === undefined ? "no `permissionPreset`" : `the \`permissionPreset\` ${JSON.stringify(preset)}`;
  return new Unjudged(
    `has the role custom with ${what}, which may amount to an admin. Add the preset to \`presets\` of the rule if it does not, or choose another \`role\`.`,
  );
}
