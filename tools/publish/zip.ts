/** The checksum of each entry of a ZIP file, by its name: what its central directory says. */
export function checksumsOf(zip: Buffer): Map<string, string> {
  const end = zip.lastIndexOf(Buffer.from("PK\x05\x06", "latin1"));
  if (end < 0) throw new Error("the file is not a ZIP file");
  const count = zip.readUInt16LE(end + 10);
  const checksums = new Map<string, string>();
  let at = zip.readUInt32LE(end + 16);
  for (let entry = 0; entry < count; entry += 1) {
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) => zip.readUInt16LE(at + offset));
    const name = zip.toString("utf8", at + 46, at + 46 + nameLength!);
    checksums.set(name, `${zip.readUInt32LE(at + 16).toString(16)} ${zip.readUInt32LE(at + 24)}`);
    at += 46 + nameLength! + extraLength! + commentLength!;
  }
  return checksums;
}
