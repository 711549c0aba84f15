-- Fields that drift most often.
SELECT type, field, count(*) AS times
FROM (
  SELECT type, unnest(fields) AS field
  FROM read_json('drift-history/*.ndjson', ignore_errors = true, union_by_name = true)
  WHERE record = 'finding' AND change = 'found'
)
GROUP BY type, field
ORDER BY times DESC, type, field;
