import { SecretMatcher } from "../../io/masking/matcher";
import { forms, key, pem } from "./seen.json";

/**
 * What real printers, encoders, shells and runtimes make of a key with awkward letters and of a PEM key. The texts were
 * written by those programs, not by this project.
 */

const mark = "[redacted]";

const lettersAndDigits = (text: string): string => text.replace(/[^A-Za-z0-9]/g, "");

test.each(forms)("a key is masked as it is written by $by", ({ secret, text, left = "" }) => {
  const matcher = new SecretMatcher();
  matcher.add(secret === "pem" ? pem : key);
  const masked = matcher.mask(text, mark);
  expect(masked).toContain(mark);
  expect(lettersAndDigits(masked.replaceAll(mark, ""))).toBe(left);
});
