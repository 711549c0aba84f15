import { type ProgramFolders, programFlag, programOf } from "../../cli/command/flags";
import { modelplatform, project } from "./terminal";

const given = (...texts: string[]): ProgramFolders | undefined => {
  const { parseArg } = programFlag("a folder");
  return texts.reduce<ProgramFolders | undefined>(
    (before, text) => parseArg!(text, before) as ProgramFolders,
    undefined,
  );
};

test.each([
  [[], undefined],
  [["infra"], "infra"],
  [["acme/shop/prod=infra/shop"], "infra/shop"],
  [["shop/prod=infra/shop"], "infra/shop"],
  [["prod=infra/shop"], "infra/shop"],
  [["od=infra/shop"], undefined],
  [["infra", "acme/shop/dev=dev"], "infra"],
  [["infra", "prod=infra/shop"], "infra/shop"],
])("--program %j says where the program of acme/shop/prod is: %s", (texts, folder) => {
  expect(programOf(given(...texts), "acme/shop/prod")).toBe(folder);
});

test.each([
  ["drift --program =infra", "takes a folder, or a stack and its folder"],
  ["audit --program acme/shop/prod=", "takes a folder, or a stack and its folder"],
  ["accept --program a --program prod=b", "one program at a time"],
])("`%s` is refused", async (line, answered) => {
  const { cwd, env } = await project("prod");
  const { code, stderr } = await modelplatform(line, { cwd, env });
  expect({ code, stderr }).toEqual({ code: 64, stderr: expect.stringContaining(answered) });
});
