#!/usr/bin/env bash
# Runs a command on a history that is kept in a bucket, as one object:
#   in-bucket.sh https://bucket.s3.eu-central-1.amazonaws.com/drift-history.tgz drift-history COMMAND …
# Fetches it into the folder, runs the command, which ends with 0, 2 or 3, and stores the folder, unless somebody else
# has stored one meanwhile: then it fetches that and runs the command again. Needs curl, tar and the credentials of AWS.
set -euo pipefail
url=$1 folder=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Prints the status. By a pipe: a command line is seen by every process of the machine.
ask() {
  {
    printf 'user = "%s:%s"\n' "$AWS_ACCESS_KEY_ID" "$AWS_SECRET_ACCESS_KEY"
    # TLS protects the content.
    printf 'header = "x-amz-content-sha256: UNSIGNED-PAYLOAD"\n'
    if [ -n "${AWS_SESSION_TOKEN:-}" ]; then printf 'header = "x-amz-security-token: %s"\n' "$AWS_SESSION_TOKEN"; fi
  } | curl --config - ${AWS_CA_BUNDLE:+--cacert "$AWS_CA_BUNDLE"} --silent --show-error --aws-sigv4 "aws:amz:${AWS_REGION:-us-east-1}:s3" \
    --dump-header "$work/headers" --output "$work/answer" --write-out '%{http_code}' "$@"
}

fail() {
  echo "in-bucket: $1 The history is stored as it was before." >&2
  exit 1
}

# A server that does not know conditions would let one merge overwrite what another one has stored.
printf 'Written once.\n' > "$work/once"
for _ in first again; do once=$(ask --upload-file "$work/once" --header 'If-None-Match: *' "$url.once"); done
[ "$once" = 412 ] || fail "The bucket answers $once to a write that it should refuse, and not 412."

for _ in 1 2 3 4 5; do
  rm -rf "$folder" && mkdir -p "$folder"
  status=$(ask "$url")
  case "$status" in
    200)
      tar -xzf "$work/answer" -C "$folder"
      # Without a condition, the write below would go over what somebody else has stored.
      etag=$(sed -n 's/^[Ee][Tt][Aa][Gg]: *\("[^"]*"\).*/\1/p' "$work/headers")
      [ -n "$etag" ] || fail "The bucket answers a read without a strong ETag."
      condition="If-Match: $etag"
      ;;
    404) condition='If-None-Match: *' ;;
    *) fail "The bucket answers $status to a read." ;;
  esac
  code=0
  "$@" || code=$?
  case "$code" in 0 | 2 | 3) ;; *) exit "$code" ;; esac
  tar -czf "$work/history" -C "$folder" .
  status=$(ask --upload-file "$work/history" --header "$condition" "$url")
  case "$status" in
    200 | 201 | 204) exit "$code" ;;
    404 | 409 | 412) echo "in-bucket: somebody else has stored the history meanwhile; once more on theirs." >&2 ;;
    *) fail "The bucket answers $status to a write." ;;
  esac
done
fail "Five times somebody else was faster."
