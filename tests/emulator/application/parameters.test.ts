import { operations } from "../../../emulator/routes";
import type { Fields } from "../../../emulator/types";
import { conventionalOperations } from "../../contract/reference/conventional-operations";
import { listedOperations } from "../../contract/reference/operations";
import type { OperationFact } from "../../contract/reference/types";
import { type ApplicationClient, client } from "./client";

const facts = [...listedOperations, ...conventionalOperations];

const takes = ({ query }: OperationFact, ...names: string[]): boolean =>
  names.every((name) => query.some((parameter) => parameter.name === name));

const pagedLists = facts.filter((fact) => takes(fact, "pageSize", "pageToken", "filter", "readMask"));
const maskedReads = facts.filter((fact) => takes(fact, "readMask") && !takes(fact, "pageSize"));

/** Two objects of the operation's kind, at rest, and the path of the operation about the first. */
function prepared({ name }: OperationFact): { service: ApplicationClient; path: string; collection: string } {
  const service = client();
  const { spec, declared } = operations.find((operation) => operation.name === name)!;
  const filled = (template: string, id: string): string =>
    template
      .replace("{account}", "demo")
      .replace(/\{(\w+)\}$/, id)
      .replaceAll(/\{\w+\}/g, "one");
  const names =
    spec.kind === "Account" ? ["accounts/demo", "accounts/other"] : ["one", "two"].map((id) => filled(spec.name, id));
  for (const object of names)
    service.world.put({
      kind: spec.kind,
      name: object,
      fields: { name: object, createTime: "2026-01-01T00:00:00Z", state: spec.lifecycle?.ready[0] ?? "READY" },
    });
  const route = declared.route.split(" ")[1]!.split("?")[0]!.replace("{name}", names[0]!);
  return { service, path: filled(route, "one"), collection: spec.collection };
}

/** A superuser sees every account. */
const key = "super-key";

test.each(pagedLists.map((fact) => [fact.name, fact] as const))(
  "%s goes from page to page with every documented parameter",
  (_, fact) => {
    const { service, path, collection } = prepared(fact);
    const order = takes(fact, "orderBy") ? "&orderBy=name%20desc" : "";
    const query = `pageSize=1&filter=${encodeURIComponent('name:"o"')}&readMask=name${order}`;
    const page = (more: string): Fields => service.get(`${path}?${query}${more}`, key).body;
    const first = page("");
    const second = page(`&pageToken=${encodeURIComponent(String(first["nextPageToken"]))}`);
    const names = [first, second].flatMap((each) => each[collection] as Fields[]);
    expect(names.map((object) => Object.keys(object))).toEqual([["name"], ["name"]]);
    expect(new Set(names.map(({ name }) => name)).size).toBe(2);
    expect(first["totalSize"]).toBe(second["totalSize"]);
  },
);

test.each(maskedReads.map((fact) => [fact.name, fact] as const))("%s answers what the mask names", (_, fact) => {
  const { service, path } = prepared(fact);
  expect(Object.keys(service.get(`${path}?readMask=name`, key).body)).toEqual(["name"]);
  for (const all of ["", "*"])
    expect(service.get(`${path}?readMask=${encodeURIComponent(all)}`, key).body).toEqual(service.get(path, key).body);
});
