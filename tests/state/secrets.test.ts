import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { readCheckpoint, writeCheckpoint } from "../../engine/state/checkpoint";
import { openSecrets, passphraseFrom, type SecretsManager } from "../../engine/state/passphrase";
import type { Snapshot } from "../../engine/state/resource-state";
import { decryptSnapshot, encryptSnapshot, isSecret, saltOf, showSecrets } from "../../engine/state/secrets";
import {
  anyJson,
  anySnapshot,
  ciphertext,
  fixture,
  fixturePassphrase,
  fixtureSalt,
  plaintext,
  resource,
  secret,
  snapshotOf,
} from "./states";
import { temporaryFolder } from "./temporary-folder";

// A key takes a million rounds to derive, however long that is.
jest.setTimeout(120_000);

const opened = (): Promise<SecretsManager> => openSecrets({ passphrase: fixturePassphrase, salt: fixtureSalt });

describe("the passphrase", () => {
  test("opens what the CLI encrypted with it", async () => {
    const manager = await opened();
    // `pulumi config set --secret token 's3cret<&>'`
    expect(manager.decrypt("v1:hKlACpiH2xPdPvXE:Pnhbis7JDCPbQmgFRIvESqyAjj3NUVw7zg==")).toBe("s3cret<&>");
    expect(manager.state).toEqual({ salt: fixtureSalt });
  });

  test("that is wrong is refused with what to set, and is not repeated in the message", async () => {
    const error = await openSecrets({ passphrase: "wrong-horse", salt: fixtureSalt }).catch(String);
    expect(error).toMatch(/PULUMI_CONFIG_PASSPHRASE/);
    expect(error).not.toMatch(/wrong-horse/);
  });

  test("makes a salt text of its own that it fits, of Pulumi's form", async () => {
    const { state } = await openSecrets({ passphrase: "" });
    expect(state.salt).toMatch(/^v1:[A-Za-z0-9+/]{11}=:v1:[A-Za-z0-9+/]{16}:[A-Za-z0-9+/]{30}==$/);
    await expect(openSecrets({ passphrase: "", salt: state.salt })).resolves.toMatchObject({ state });
  });

  test.each(["", "v1", "v2:a:v1:b:c", "v1:a:b:c", "v1:a:v1:b:c:d"])(
    "does not fit a salt text of another form: `%s`",
    async (salt) => {
      await expect(openSecrets({ passphrase: "x", salt })).rejects.toThrow(/encryption salt is not of the form/);
    },
  );

  test("comes from the environment, even when empty, or from the file that it names", async () => {
    const file = join(temporaryFolder(), "file");
    writeFileSync(file, " from file \n");
    await expect(passphraseFrom({ PULUMI_CONFIG_PASSPHRASE: "", PULUMI_CONFIG_PASSPHRASE_FILE: file })).resolves.toBe(
      "",
    );
    await expect(passphraseFrom({ PULUMI_CONFIG_PASSPHRASE_FILE: file })).resolves.toBe("from file");
  });

  test.each([
    ["is nowhere", {}, /set PULUMI_CONFIG_PASSPHRASE, or PULUMI_CONFIG_PASSPHRASE_FILE/],
    [
      "is in a file that is not there",
      { PULUMI_CONFIG_PASSPHRASE_FILE: "/no/such/file" },
      /\/no\/such\/file, cannot be read/,
    ],
  ])("that %s is an error that says what to set", async (_, env, message) => {
    await expect(passphraseFrom(env)).rejects.toThrow(message);
  });
});

describe("a ciphertext", () => {
  test("is another one each time, and opens to the same text", async () => {
    const manager = await opened();
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const [first, second] = [manager.encrypt(text), manager.encrypt(text)];
        expect(first).not.toBe(second);
        expect([manager.decrypt(first), manager.decrypt(second)]).toEqual([text, text]);
      }),
    );
  });

  test.each([
    ["of another form", "hello", /not of the form/],
    ["that was shortened", "v1:hKlACpiH2xPdPvXE:Pnhb", /not of the form/],
    ["that was changed", "v1:hKlACpiH2xPdPvXE:Qnhbis7JDCPbQmgFRIvESqyAjj3NUVw7zg==", /cannot be decrypted/],
    ["with a short nonce", "v1:hKlA:Pnhbis7JDCPbQmgFRIvESqyAjj3NUVw7zg==", /cannot be decrypted/],
  ])("%s is refused", async (_, text, message) => {
    const manager = await opened();
    expect(() => manager.decrypt(text)).toThrow(message);
  });
});

describe("the secrets of a state", () => {
  test("that the CLI wrote are opened, also one within another", async () => {
    const { resources } = decryptSnapshot(readCheckpoint(fixture("state.json")), await opened());
    expect(resources[0]!.outputs).toEqual({ out: secret("top"), plain: "p <&> é \u2028" });
    expect(resources[2]!.inputs!["password"]).toEqual(secret({ deep: ["x", 1, null, "<&>"], inner: secret("within") }));
  });

  test("come back as they were, whatever they hold, and stand nowhere in the file", async () => {
    const manager = await opened();
    const canary = "canary-7f3a";
    fc.assert(
      fc.property(anySnapshot, anyJson, (snapshot, value) => {
        const hidden = snapshotOf(
          [...snapshot.resources, resource("canary", { inputs: { list: [secret({ [canary]: value })] } })],
          {
            pendingOperations: snapshot.pendingOperations,
          },
        );
        const bytes = writeCheckpoint(encryptSnapshot(hidden, manager), "organization/demo/dev");
        const read = decryptSnapshot(readCheckpoint(bytes), manager);
        const again = writeCheckpoint(encryptSnapshot(read, manager), "organization/demo/dev");
        expect(bytes.includes(canary)).toBe(false);
        expect(again.equals(bytes)).toBe(true);
        expect(read.resources.find(({ id }) => id === "id-canary")).toEqual(hidden.resources.at(-1));
      }),
      { numRuns: 50 },
    );
  });

  test("keep their ciphertext while neither their value nor their place changes", async () => {
    const manager = await opened();
    const state = (value: string, place: string): Snapshot =>
      encryptSnapshot(snapshotOf([resource("a", { inputs: { [place]: secret(value), more: 1 } })]), manager);
    const at = (snapshot: Snapshot, place: string): unknown => snapshot.resources[0]!.inputs![place];
    const first = at(state("x", "here"), "here");
    expect(at(state("x", "here"), "here")).toEqual(first);
    expect(at(state("y", "here"), "here")).not.toEqual(first);
    expect(at(state("x", "there"), "there")).not.toEqual(first);
  });

  test("keep the ciphertext of the file, also after the passphrase was opened again", async () => {
    const file = readCheckpoint(fixture("state.json"));
    const manager = { ...(await opened()) };
    const copy = decryptSnapshot(file, manager).resources.map((state) => ({ ...state, modified: "now" }));
    const sealed = encryptSnapshot({ ...file, resources: copy }, manager);
    expect(sealed.resources.map(({ inputs, outputs }) => [inputs, outputs])).toEqual(
      file.resources.map(({ inputs, outputs }) => [inputs, outputs]),
    );
  });

  test("are shown as the CLI shows them, and are read back from that", async () => {
    const manager = await opened();
    const shown = showSecrets(snapshotOf([resource("a", { inputs: { x: secret({ y: secret(1) }) } })]));
    const inner = JSON.stringify({ y: plaintext("1") });
    expect(shown.resources[0]!.inputs).toEqual({ x: plaintext(inner) });
    expect(decryptSnapshot(shown, manager).resources[0]!.inputs).toEqual({ x: secret({ y: secret(1) }) });
    expect(decryptSnapshot(encryptSnapshot(shown, manager), manager).resources[0]!.inputs).toEqual({
      x: secret({ y: secret(1) }),
    });
  });

  test("make the state name the provider that opens them", async () => {
    const sealed = encryptSnapshot(snapshotOf([]), await opened());
    expect(sealed.secretsProvider).toEqual({ type: "passphrase", state: { salt: fixtureSalt } });
    expect(saltOf(sealed)).toBe(fixtureSalt);
    expect(saltOf(snapshotOf([]))).toBeUndefined();
  });

  test("of another provider are left to the CLI", () => {
    expect(() => saltOf(snapshotOf([], { secretsProvider: { type: "cloud", state: {} } }))).toThrow(
      /`cloud`.*Pulumi CLI/,
    );
  });

  test("are recognised by their signature alone", () => {
    expect(isSecret(ciphertext("c"))).toBe(true);
    expect([isSecret({ value: 1 }), isSecret(null), isSecret([secret(1)])]).toEqual([false, false, false]);
  });
});
