import type { Settings } from "../../../emulator/index";
import type { ResourceSpec } from "../../../provider/core/declaration/resource";
import { specOf } from "../../../provider/resources/index";
import type { Values } from "../../values";
import { createHarness, type Harness } from "../harness";
import { type ContractHost, dynamicHost } from "./hosts";
import type { ContractSubject } from "./subject";

/** The service, and who serves the resources. */
export interface HostedHarness extends Harness {
  host: ContractHost;
}

/** A service with the subject's surroundings in place, whose objects take seconds where others take minutes. */
export async function openService(
  settings: Partial<Settings>,
  { world = [] }: ContractSubject,
  host: ContractHost = dynamicHost,
): Promise<HostedHarness> {
  const at = { ...(await createHarness(settings)), host };
  for (const account of ["acme", "beta"]) at.emulator.world.changeSettings({ speed: 60 }, account);
  for (const object of world) await at.put(object.name, object);
  return at;
}

export const declarationOf = ({ kind }: ContractSubject): ResourceSpec => specOf(kind)!;

/** The program's inputs with an identity of its own choice, so that a removal removes. */
export const inputsOf = ({ inputs, chosen, removable }: ContractSubject): Values => ({
  ...inputs,
  ...chosen,
  ...removable,
});

/** The program's inputs after an edit, where an edit changes anything on the service. */
export function edited(subject: ContractSubject): Values | undefined {
  const [group] = subject.updates;
  const [name, change] = Object.entries(group?.changes ?? {})[0] ?? [];
  return name === undefined ? undefined : { ...inputsOf(subject), [name]: change!.to };
}

/** Names in the account's list of the subject's collection; undefined where there is no list. */
export async function listed(at: Harness, { kind }: ContractSubject): Promise<string[] | undefined> {
  if (!specOf(kind)!.operations["list"]) return undefined;
  const objects = at.process().world.objects(kind, "acme");
  const names: string[] = [];
  for await (const object of objects.list({ signal: new AbortController().signal, deadline: Number.POSITIVE_INFINITY }))
    names.push(String(object["name"]));
  return names;
}

/** Live objects of the subject's kind in all accounts but the platform's, its surroundings left out. */
export const live = (at: Harness, subject: ContractSubject): Values[] =>
  [...at.emulator.world.all()]
    .map(({ fields }) => fields)
    .filter(
      (object) =>
        isOf(subject, String(object["name"])) &&
        !/(DELETED|DELETING|UNDEPLOYING)$/.test(String(object["state"] ?? "")) &&
        !isNone(subject, object),
    );

/** Settings that say nothing, as they are when nobody has made any. */
const isNone = (subject: ContractSubject, object: Values): boolean =>
  declarationOf(subject).singleton === true &&
  declarationOf(subject).fields.message.every(({ name }) => object[name] === undefined);

function isOf({ kind, world = [] }: ContractSubject, name: string): boolean {
  const [, account, collection] = name.split("/");
  return (
    account !== "platform" && collection === specOf(kind)!.collection && !world.some((object) => object.name === name)
  );
}

/** Fails where `work` sends anything that writes. */
export async function withoutWrites(at: Harness, work: () => Promise<unknown>): Promise<void> {
  await at.requests();
  await work();
  expect(await writes(at)).toEqual([]);
}

/** What was sent since the last look that is no read. */
export const writes = async (at: Harness): Promise<string[]> =>
  (await at.requests()).filter((request) => !request.startsWith("GET "));
