import { bodyOf } from "../../cli/drift/accept/outcome";
import { findingsOf } from "../rewrite/findings";

const hostile = "@team fixes #1 </details> [x](http://evil.example) `";

test("the text of a pull request says what is accepted and left, and has no effect", () => {
  const [finding] = findingsOf([
    {
      ...{ stack: "dev", kind: "User", name: "ada", what: "changed" as const, path: "displayName" },
      ...{ recorded: "Ada", live: hostile },
    },
  ]);
  const place = { file: "index.ts", line: 3, column: 1 };
  const body = bodyOf({
    accepted: [{ finding: finding!, path: "displayName", place }],
    left: [
      {
        finding: finding!,
        path: "role",
        reason: `is computed by ${hostile}`,
        rule: "role",
        allow: "role:0123456789abcdef",
        place,
      },
    ],
    files: [],
  });
  const lines = body.split("\n").filter((line) => line !== "");
  expect(lines[0]).toBe("### Accepted: the program matches the live state (1)");
  expect(lines[1]).toMatch(
    /^- <code>displayName<\/code> of <code>User ada<\/code>: <code>&#34;Ada&#34;<\/code> → <code>.*<\/code> \(<code>index.ts&#58;3<\/code>\)$/,
  );
  expect(lines[2]).toBe("### Left to you (1)");
  expect(lines[3]).toMatch(/\(<code>--allow role&#58;0123456789abcdef<\/code>\)/);
  for (const trick of ["@team", "#1 ", "</details>", "[x](", "http:"]) expect(body).not.toContain(trick);
});

test("a text that is too long counts what does not fit", () => {
  const findings = findingsOf(
    Array.from({ length: 500 }, (_, index) => ({
      ...{ stack: "dev", kind: "User", name: `u${index}`, what: "changed" as const, path: "displayName" },
      ...{ recorded: "a", live: "b".repeat(500) },
    })),
  );
  const body = bodyOf({
    accepted: findings.map((finding) => ({ finding, path: "displayName" })),
    left: [],
    files: [],
  });
  expect(body.length).toBeLessThan(16_000);
  expect(body).toMatch(/\n- … and \d+ more\n/);
});
