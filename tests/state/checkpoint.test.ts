import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { exportDeployment, importDeployment, readCheckpoint, writeCheckpoint } from "../../engine/state/checkpoint";
import { emptySnapshot } from "../../engine/state/deployment";
import { inDependencyOrder } from "../../engine/state/order";
import type { ResourceState, Snapshot } from "../../engine/state/resource-state";
import {
  anyResources,
  anySealedSnapshot,
  anySnapshot,
  fixture,
  orderProblems,
  plaintext,
  resource,
  secret,
  snapshotOf,
  urnOf,
} from "./states";

// Random cases take as long as they take.
jest.setTimeout(120_000);

const stack = "organization/demo/dev";
const file = (document: unknown): Buffer => Buffer.from(JSON.stringify(document));
const withResource = (more: object): object => ({
  version: 3,
  checkpoint: { stack, latest: { manifest: {}, resources: [{ ...resource("a"), ...more }] } },
});
const identity = ({ urn, delete: gone = false }: ResourceState): string => `${urn} ${gone}`;

describe("a state file", () => {
  test("that the CLI wrote is written back byte for byte, but for superfluous escapes", () => {
    const text = fixture("state.json")
      .toString()
      .replace(/\\u(003c|003e|0026|2028)/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
    expect(writeCheckpoint(readCheckpoint(fixture("state.json")), stack).toString()).toBe(text);
  });

  test.each(["state.json.gz", "state.json.zst"])("of the CLI is opened by its content: %s", (name) => {
    expect(readCheckpoint(fixture(name)).resources.map(({ urn }) => urn)).toEqual(
      readCheckpoint(fixture("state.json")).resources.map(({ urn }) => urn),
    );
  });

  test("with a tainted resource is version 4, and stays so until nothing is tainted", () => {
    const tainted = readCheckpoint(fixture("tainted.json"));
    expect(tainted.resources.filter(({ taint }) => taint).map(({ id }) => id)).toEqual(["id-b"]);
    expect(JSON.parse(writeCheckpoint(tainted, stack).toString())).toMatchObject({ version: 4, features: ["taint"] });
    const untainted = tainted.resources.map(({ taint: _, ...state }): ResourceState => ({ ...state }));
    expect(JSON.parse(writeCheckpoint({ ...tainted, resources: untainted }, stack).toString())).toMatchObject({
      version: 3,
    });
  });

  test("comes back as it was written, whatever it holds", () => {
    fc.assert(
      fc.property(anySealedSnapshot, (snapshot) => {
        const read = readCheckpoint(writeCheckpoint(snapshot, stack));
        const sorted = (states: readonly ResourceState[]): ResourceState[] =>
          [...states].sort((a, b) => (identity(a) < identity(b) ? -1 : 1));
        expect(sorted(read.resources)).toEqual(sorted(snapshot.resources));
        expect({ ...read, resources: [] }).toEqual({ ...snapshot, resources: [] });
      }),
    );
  });

  test("has the same bytes for the same state, whatever the order of its keys", () => {
    const turned = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(turned)
        : value !== null && typeof value === "object"
          ? Object.fromEntries(
              Object.entries(value)
                .reverse()
                .map(([key, member]) => [key, turned(member)]),
            )
          : value;
    fc.assert(
      fc.property(anySealedSnapshot, (snapshot) => {
        const other = turned(snapshot) as Snapshot;
        expect(writeCheckpoint(other, stack).equals(writeCheckpoint(snapshot, stack))).toBe(true);
      }),
    );
  });

  test("keeps keys that are not known here, of the deployment and of its manifest too", () => {
    const latest = {
      manifest: { time: "t", magic: "", version: "", plugins: [{ name: "x" }] },
      metadata: { integrity_error: { error: "e" } },
      keyOfTomorrow: { a: [1] },
    };
    const read = readCheckpoint(file({ version: 3, checkpoint: { stack, latest } }));
    expect(JSON.parse(writeCheckpoint(read, stack).toString()).checkpoint.latest).toEqual(latest);
  });

  test("carries the magic that Pulumi computes from its version", () => {
    const written = JSON.parse(
      writeCheckpoint(
        snapshotOf([], { manifest: { time: "t", magic: "wrong", version: "v3.248.0" } }),
        stack,
      ).toString(),
    );
    // SHA-256 of the text `v3.248.0`.
    expect(written.checkpoint.latest.manifest.magic).toBe(
      "1c72415da0837d6b54e4fd59aa49d86e7a984759e60a944fc9ff1c8042addcfe",
    );
  });

  test("of a stack that never had an update is an empty state", () => {
    expect(readCheckpoint(file({ version: 0, checkpoint: { stack } })).resources).toEqual([]);
    expect(readCheckpoint(writeCheckpoint(emptySnapshot(new Date(0)), stack)).resources).toEqual([]);
  });

  test("freezes what it saved, so that a later change is an error and not a stale file", () => {
    const state = resource("a", { inputs: { list: ["x"] } });
    writeCheckpoint(snapshotOf([state]), stack);
    expect(() => (state.inputs!["list"] as string[]).push("y")).toThrow(TypeError);
  });

  test.each([
    ["truncated", Buffer.from('{"version":3,"checkpoint":{'), /^The state file cannot be read as a state: /],
    ["not JSON", Buffer.from("state"), /^The state file cannot be read as a state: /],
    ["a truncated gzip", gzipSync("{}").subarray(0, 12), /^The state file cannot be read as a state: /],
    ["another document", file({ hello: 1 }), /no `checkpoint`/],
    ["an old version", file({ version: 2, checkpoint: { latest: {} } }), /version 2.*Pulumi CLI/],
    ["a future version", file({ version: 5, checkpoint: { latest: {} } }), /version 5.*Pulumi CLI/],
    ["a future version of another form", file({ version: 5, checkpoint: { stack } }), /version 5.*Pulumi CLI/],
    [
      "an unknown feature",
      file({ version: 4, features: ["taint", "teleport"], checkpoint: { latest: {} } }),
      /`teleport`.*Pulumi CLI/,
    ],
    [
      "a feature not supported",
      file({ version: 4, features: ["views"], checkpoint: { latest: {} } }),
      /`views`.*Pulumi CLI/,
    ],
    ["a feature not declared", file(withResource({ refreshBeforeUpdate: true })), /`refreshBeforeUpdate`.*Pulumi CLI/],
    [
      "hooks around a deletion",
      file(withResource({ resourceHooks: { BeforeDelete: ["h"] } })),
      /`hooks`.*Thing::a.*Pulumi CLI/,
    ],
    ["a resource without a type", file(withResource({ type: null })), /`type` of .*Thing::a is missing/],
  ])("that is %s is refused with what to do", (_, bytes, message) => {
    expect(() => readCheckpoint(bytes)).toThrow(message);
  });

  test.each([
    ["as the engine holds it", secret("x")],
    ["as an export shows it", plaintext('"x"')],
  ])("is not written with a secret %s", (_, open) => {
    const snapshot = snapshotOf([resource("a", { outputs: { list: [{ deep: open }] } })]);
    expect(() => writeCheckpoint(snapshot, stack)).toThrow(/secret in the clear/);
  });

  test("may hold text that looks like a secret", () => {
    const snapshot = snapshotOf([resource("a", { outputs: { text: JSON.stringify(secret("x")) } })]);
    expect(readCheckpoint(writeCheckpoint(snapshot, stack))).toEqual(snapshot);
  });

  test("with hooks that run inside the program only is accepted", () => {
    expect(readCheckpoint(file(withResource({ resourceHooks: { AfterCreate: ["h"] } }))).resources).toHaveLength(1);
  });
});

describe("the order of resources", () => {
  test("is one that Pulumi accepts, whatever order they come in", () => {
    const shuffled = anyResources.chain((resources) => fc.shuffledSubarray(resources, { minLength: resources.length }));
    fc.assert(
      fc.property(shuffled, (resources) => {
        const ordered = inDependencyOrder(resources);
        expect(orderProblems(ordered)).toEqual([]);
        expect(new Set(ordered)).toEqual(new Set(resources));
      }),
    );
  });

  test("stays as it is when it is right already", () => {
    fc.assert(fc.property(anyResources, (resources) => expect(inDependencyOrder(resources)).toEqual(resources)));
  });

  test("survives a chain that is longer than the call stack, and a circle", () => {
    const chain = Array.from({ length: 20_000 }, (_, index) =>
      resource(`r${index}`, index < 19_999 ? { dependencies: [urnOf(`r${index + 1}`)] } : {}),
    );
    expect(inDependencyOrder(chain)[0]).toBe(chain.at(-1));
    const circle = [resource("a", { dependencies: [urnOf("b")] }), resource("b", { dependencies: [urnOf("a")] })];
    expect(inDependencyOrder(circle)).toHaveLength(2);
  });

  test("leaves out references to resources that are gone, which Pulumi would refuse", () => {
    const gone = urnOf("gone");
    const state = resource("b", {
      dependencies: [urnOf("a"), gone],
      propertyDependencies: { x: [gone] },
      deletedWith: gone,
    });
    const [, read] = readCheckpoint(writeCheckpoint(snapshotOf([state, resource("a")]), stack)).resources;
    expect(read).toEqual(resource("b", { dependencies: [urnOf("a")], propertyDependencies: { x: [] } }));
  });
});

describe("a stack export", () => {
  test("is imported as it was exported", () => {
    fc.assert(
      fc.property(anySnapshot, (snapshot) => {
        const document = exportDeployment(snapshot);
        expect(exportDeployment(importDeployment(document))).toEqual(document);
      }),
    );
  });

  test.each([[null], [[]], ["text"], [{ version: 3 }], [{ deployment: {} }]])(
    "that is none is refused: %j",
    (document) => {
      expect(() => importDeployment(document)).toThrow(/stack export|version/);
    },
  );
});
