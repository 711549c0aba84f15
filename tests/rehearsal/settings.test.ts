import { pipIndex, pipSettings } from "../../tools/rehearsal/registries";

describe("pip's settings", () => {
  const list = [
    ":env:.cert='/variable.pem'",
    ":env:.find-links='/wheels'",
    "global.cert='/file.pem'",
    "global.extra-index-url='https://one.example.com/simple\\nhttps://two.example.com/simple'",
    "global.index-url='https://mirror.example.com/simple'",
    "global.trusted-host='one.example.com\\ntwo.example.com'",
    "install.timeout='30'",
    "install.user='true'",
    "freeze.timeout='5'",
  ].join("\n");

  test("reach an index as before, a variable before a file", () => {
    expect(pipSettings(list).env).toEqual({
      PIP_CERT: "/variable.pem",
      PIP_TRUSTED_HOST: "one.example.com two.example.com",
      PIP_TIMEOUT: "30",
      PIP_DISABLE_PIP_VERSION_CHECK: "1",
    });
  });

  test("that could name another package of our name are left out, by name", () => {
    expect(pipSettings(list).left.sort()).toEqual(["extra-index-url", "find-links"]);
    expect(pipSettings("").left).toEqual([]);
  });
});

test("the index of pip is the one that its help shows", () => {
  const help = `
Package Index Options:
  -i, --index-url <url>       Base URL of the Python Package Index (default
                              https://mirror.example.com/simple). This should
                              point to a repository compliant with PEP 503.
  --extra-index-url <url>     Extra URLs of package indexes (default none).
`;
  expect(pipIndex(help)).toBe("https://mirror.example.com/simple");
  expect(() => pipIndex("pip 99")).toThrow("does not show which index pip asks");
});
