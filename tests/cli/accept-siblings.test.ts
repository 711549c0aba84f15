import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openBackend } from "../../engine/state/backend";
import { importDeployment } from "../../engine/state/checkpoint";
import { exported } from "../drift/support/stacks";
import type { Values } from "../values";
import { accept, chat, drift, engine, nextStep, program, raised, shop, textIn } from "./accepting";

const edited = program.replace("maxReplicaCount: 2", "maxReplicaCount: 4");
const deployment = (maxReplicaCount: number) => ({
  kind: "Deployment",
  inputs: { baseModel: "accounts/platform/models/open-8b", maxReplicaCount } as Values,
  live: { name: "accounts/demo/deployments/chat", maxReplicaCount } as Values,
});
const stateOfProd = (maxReplicaCount = 2) =>
  exported(maxReplicaCount === 0 ? [] : [deployment(maxReplicaCount)], { project: "shop", stack: "prod" });

/** The shop, whose stack `dev` was scanned, and a stack `prod` that was not. */
async function shopWithProd(maxReplicaCount?: number, changes = drift): Promise<string> {
  const cwd = await shop(changes);
  const backend = openBackend("file://.", { cwd });
  await backend.createStack("shop", "prod", importDeployment(stateOfProd(maxReplicaCount)));
  return cwd;
}

const shared =
  'index.ts:3:1: `maxReplicaCount` of Deployment chat is shared with the stack organization/shop/prod, where `up` would then change it from 2 to 4. Let the config decide it, as with `new pulumi.Config().getNumber("chatMaxReplicaCount") ?? 2`, and set `chatMaxReplicaCount` in Pulumi.dev.yaml; it would have to be 4\n';

test.each(["", "--write", "--patch drift.patch"])(
  "a literal shared with another stack is left, with its announcement (accept %s)",
  async (line) => {
    const cwd = await shopWithProd();
    const { code, stderr } = await accept(cwd, line, { engine: engine([], []) });
    expect([code, stderr]).toEqual([2, `Left: 1 change.\n  ${shared}`]);
    expect(textIn(cwd)).toBe(program);
  },
);

test("`--interactive` says that a literal is shared before it asks", async () => {
  const cwd = await shopWithProd();
  const { stdout, questions } = await accept(cwd, "--interactive", { isTTY: true, answers: ["l"] });
  expect(stdout).toContain("It cannot be accepted: it is shared with the stack organization/shop/prod");
  expect(questions).toEqual(["(r)evert, (i)gnore for a time, (l)eave? "]);
});

test("a literal is edited where the other stack recorded what is live, or has none", async () => {
  for (const count of [4, 0]) {
    const cwd = await shopWithProd(count);
    const { code, stderr } = await accept(cwd, "--write", { engine: engine([], [], [], []) });
    expect([code, stderr]).toEqual([0, `Accepted: 1 change (index.ts).\n${nextStep}\n`]);
    expect(textIn(cwd)).toBe(edited);
  }
});

test("a stack of which only the config file is there may share the literal", async () => {
  const cwd = await shop();
  writeFileSync(join(cwd, "Pulumi.prod.yaml"), "config:\n  shop:greeting: hello\n");
  const { code, stderr } = await accept(cwd);
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining(
      "may be shared with the stack organization/shop/prod (Pulumi.prod.yaml), whose state is not at hand: `up` would then change it to 4 there. Give that state with --stack-file or --backend, or let the config decide it, as with",
    ),
  ]);
  writeFileSync(join(cwd, "prod.json"), JSON.stringify(stateOfProd(0)));
  expect((await accept(cwd, "--stack-file prod.json")).code).toBe(0);
});

test("a declaration is not taken away while another stack has the resource", async () => {
  const gone = [{ stack: "dev", kind: "Deployment", name: "chat", what: "missing" as const, path: "" }];
  const { code, stderr } = await accept(await shopWithProd(2, gone as unknown as typeof drift));
  expect([code, stderr]).toEqual([2, expect.stringContaining("is there in the stack organization/shop/prod")]);
});

test("an object that no stack manages is not declared for all stacks of the program", async () => {
  const found = [{ stack: "dev", kind: "Model", name: "tuned", what: "unmanaged" as const, path: "", live: {} }];
  const { code, stderr } = await accept(await shopWithProd(2, found as unknown as typeof drift));
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining(
      "is in no stack, and each stack of the program (organization/shop/dev, organization/shop/prod) would take it: declare it by hand for one of them",
    ),
  ]);
});

test("what the config of one stack decides is edited there", async () => {
  const cwd = await shopWithProd();
  const read = program
    .replace("maxReplicaCount: 2", 'maxReplicaCount: new Config().requireNumber("most")')
    .replace("import", 'import { Config } from "@pulumi/pulumi";\nimport');
  writeFileSync(join(cwd, "index.ts"), read);
  for (const stack of ["dev", "prod"]) writeFileSync(join(cwd, `Pulumi.${stack}.yaml`), "config:\n  shop:most: 2\n");
  expect((await accept(cwd, "--write", { engine: engine([], [], [], []) })).code).toBe(0);
  expect([textIn(cwd, "Pulumi.dev.yaml"), textIn(cwd, "Pulumi.prod.yaml")]).toEqual([
    "config:\n  shop:most: 4\n",
    "config:\n  shop:most: 2\n",
  ]);
});

describe("the proof", () => {
  const update = (path: string) => ({
    op: "update" as const,
    urn: chat,
    name: "chat",
    diffs: [{ path, kind: "update" as const }],
  });

  test("the files are put back where another stack's preview announces more than before", async () => {
    const cwd = await shopWithProd(4);
    const script = engine(
      [update("maxReplicaCount")],
      [update("displayName")],
      [],
      [update("displayName"), { ...update("email"), urn: "urn::ada", name: "ada" }],
    );
    const { code, stderr } = await accept(cwd, "--write", { engine: script });
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining("a preview of organization/shop/prod shows that ada would be changed as well (update)"),
    ]);
    expect(textIn(cwd)).toBe(program);
  });

  test("a stack that was ahead of its state before does not count", async () => {
    const cwd = await shopWithProd(4);
    const script = engine([], [update("displayName")], [], [update("displayName")]);
    expect((await accept(cwd, "--write", { engine: script })).code).toBe(0);
    expect(textIn(cwd)).toBe(edited);
  });

  test("a stack that cannot be previewed is named", async () => {
    const cwd = await shopWithProd(4);
    const { code, stderr } = await accept(cwd, "--write", { engine: engine([], "no passphrase", []) });
    expect([code, stderr]).toEqual([
      0,
      "warning: organization/shop/prod takes no part in the proof, other than by its recorded values: its preview fails: no passphrase\n" +
        `Accepted: 1 change (index.ts).\n${nextStep}\n`,
    ]);
  });
});

test("a role that is raised in one stack is not raised in another", async () => {
  const cwd = await shop([raised]);
  const user = {
    kind: "User",
    inputs: { email: "ada@example.com", role: "user" },
    live: { name: "accounts/demo/users/ada", email: "ada@example.com", role: "user" },
  };
  const state = importDeployment(exported([user], { project: "shop", stack: "prod" }));
  await openBackend("file://.", { cwd }).createStack("shop", "prod", state);
  const { left } = JSON.parse((await accept(cwd, "--json")).stdout) as { left: [{ allow: string }] };
  const { code, stderr } = await accept(cwd, `--allow ${left[0].allow}`);
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining(
      'where `up` would then change it from "user" to "admin". Let the config decide it, as with `new pulumi.Config().get("adaRole") ?? "user"`',
    ),
  ]);
});
