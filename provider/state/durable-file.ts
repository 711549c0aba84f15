/** The few file operations that state needs; a test passes one that crashes. */
export interface FileSystem {
  read(path: string): Promise<Buffer>;
  /** Creates or truncates, and returns once the content is on the disk. */
  write(path: string, bytes: Uint8Array): Promise<void>;
}
