import type { NamedFile } from "../sources/local-files";
import type { Reporter } from "../types";

export interface UploadProgress {
  sent(name: string, bytes: number): void;
  arrived(): void;
}

/** Reports upload progress, once per percent. */
export function progressOf({ status }: Reporter, files: readonly NamedFile[]): UploadProgress {
  const bytes = new Map<string, number>();
  const total = files.reduce((sum, { size }) => sum + size, 0);
  let done = 0;
  let last = "";
  const tell = (): void => {
    const percent =
      total === 0 ? 100 : Math.floor((100 * [...bytes.values()].reduce((sum, part) => sum + part, 0)) / total);
    const text = `uploading ${Math.min(done + 1, files.length)} of ${files.length} files, ${percent} %`;
    if (text !== last) status((last = text));
  };
  tell();
  return {
    sent: (name, part) => {
      bytes.set(name, part);
      tell();
    },
    arrived: () => {
      done += 1;
      tell();
    },
  };
}
