import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { apiReports, reportFolder } from "../../tools/api";
import { root } from "../rooms";

test("the package exports the names and types of its API reports", () => {
  const found = apiReports(root, mkdtempSync(join(tmpdir(), "surface-")));
  expect(found.map(({ path }) => path).sort()).toEqual(
    readdirSync(join(root, reportFolder))
      .filter((file) => file.endsWith(".api.md"))
      .map((file) => `${reportFolder}/${file}`)
      .sort(),
  );
  // Where this fails on purpose: `npm run api`, and commit what it writes.
  for (const { path, content } of found) expect(content).toBe(readFileSync(join(root, path), "utf8"));
});
