import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { project } from "../cli/terminal";
import { answers, listening } from "./scene";

export const user = { name: "accounts/acme/users/ada", email: "ada@example.com", role: "user", state: "READY" };

/** A service with one user, that means well. */
export const honest = () =>
  listening(answers({ "GET /v1/accounts/acme/users": { body: { users: [user] } }, "GET /v1/": {} }));

/** A checkout with files of the attacker's, and the stack `dev`. */
export async function checkout(files: Readonly<Record<string, string>>): Promise<string> {
  const { cwd } = await project("dev");
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(cwd, name, ".."), { recursive: true });
    writeFileSync(join(cwd, name), text, { mode: 0o755 });
  }
  return cwd;
}
