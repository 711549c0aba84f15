import { createDestinations } from "../../provider/api/remarks";
import type { Credential, Endpoint } from "../../provider/api/types";
import { Concealed } from "../../provider/core/redact";

const key = new Concealed("k-1");
const acme: Credential = { account: "acme", key, from: "environment" };
const at = (host: string, from: Endpoint["from"]): Endpoint => ({
  ...{ origin: `https://${host}`, prefix: "", loopback: false },
  ...(from !== undefined && { from }),
});

function told(...sent: readonly (readonly [Credential, Endpoint])[]): readonly string[] {
  const texts: string[] = [];
  const tell = createDestinations(({ text }) => void texts.push(text));
  for (const [credential, endpoint] of sent) tell(credential, endpoint);
  return texts;
}

test.each([
  ["the stack's config", "project"],
  ["the program", "program"],
] as const)("a key of the environment that goes where %s says is reported once per address", (who, from) => {
  const [one, two] = [at("one.example", from), at("two.example", from)];
  const beta: Credential = { ...acme, account: "beta" };
  const says = (account: string, host: string): string =>
    `the key of account \`${account}\` comes from the environment and is sent to https://${host}, which ${who} names`;
  expect(told([acme, one], [acme, one], [acme, two], [beta, one], [acme, two])).toEqual([
    says("acme", "one.example"),
    says("acme", "two.example"),
    says("beta", "one.example"),
  ]);
});

test("nothing is reported where the environment names both, nor of a project's key", () => {
  expect(told([acme, at("one.example", "environment")])).toEqual([]);
  expect(told([{ ...acme, from: "project" }, at("one.example", "project")])).toEqual([]);
});
