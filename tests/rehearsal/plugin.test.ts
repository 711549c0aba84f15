import { assertChecksum } from "../../tools/rehearsal/programs";

/** As `printf archive | sha256sum` prints it. */
const checksum = "0eb3e36bfb24dcd9bb1d1bece1531216b59539a8fde17ee80224af0653c92aa3";

test("an archive that is not the published one is refused with both checksums", () => {
  expect(() => assertChecksum("plugin.tar.gz", "ab12", Buffer.from("archive"))).toThrow(
    /^plugin\.tar\.gz has the SHA-256 \w{64}, and ab12 was published$/,
  );
  expect(() => assertChecksum("plugin.tar.gz", checksum, Buffer.from("archive"))).not.toThrow();
});
