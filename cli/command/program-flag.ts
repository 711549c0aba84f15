import { Option } from "commander";
import { usageFailure } from "./failure";

/** Folders of programs, as `--program` names them; one without a stack is that of all stacks that no other names. */
export type ProgramFolders = readonly { stack: string | undefined; folder: string }[];

/** `--program folder`, or `--program stack=folder` for each stack. */
export const programFlag = (description: string): Option =>
  new Option("--program <[stack=]folder>", `${description}; may be repeated, as stack=folder`).argParser(
    (text: string, before: ProgramFolders = []): ProgramFolders => {
      const cut = text.indexOf("=");
      const [stack, folder] = cut < 0 ? [undefined, text] : [text.slice(0, cut), text.slice(cut + 1)];
      if (stack === "" || folder === "")
        throw usageFailure("--program takes a folder, or a stack and its folder: acme/shop/prod=infra.");
      return [...before, { stack, folder }];
    },
  );

/** The folder of a stack's program, whose short or full name counts; undefined where `--program` names none. */
export const programOf = (folders: ProgramFolders = [], stack: string): string | undefined =>
  (
    folders.find((each) => each.stack !== undefined && `/${stack}`.endsWith(`/${each.stack}`)) ??
    folders.find((each) => each.stack === undefined)
  )?.folder;
