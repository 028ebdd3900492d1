import { tokensOf } from './sql-tokens.js'

/** Information about a statement that is known before it runs. */
interface StatementClass {
  /** The command, if the statement begins or ends a transaction; otherwise `null`. */
  readonly control: string | null
  /** Whether the statement only reads. If the connection is lost, such a statement cannot have written anything. */
  readonly reads: boolean
  /**
   * The state that the statement may leave in its session beyond its transaction: `nothing`; `something` that `DISCARD
   * ALL` removes; or a loaded `library`, which cannot be removed.
   */
  readonly leaves: 'nothing' | 'something' | 'library'
  /** Whether the statement is or contains `COPY … FROM STDIN`, for which the server would wait for rows. */
  readonly readsClient: boolean
}

const CONTROL =
  /^(?:begin|commit|end|abort|(?:start|prepare) transaction|rollback(?! (?:(?:work|transaction) )?to\b))(?!\S)/
/**
 * Commands that leave no state in the session. All other commands count as leaving state, because a list of commands
 * that leave state would never be complete.
 */
const PLAIN =
  /^(?:|select|insert|update|delete|merge|with|values|table|show|savepoint|release|rollback|fetch|move|close|declare|lock|notify|set (?:local|constraints|transaction))(?!\S)/
const READING = /^(?:select|with|values|table|show|fetch|move)(?!\S)/
const WRITING = /(?<!\bfor\s+(?:no\s+key\s+)?)\b(?:insert|update|delete|merge)\b/i
/**
 * Matches a new table, a cursor that outlives its transaction, an escaped name, or a comment, which can stand before a
 * parenthesis.
 */
const DOUBTFUL = /(?<!\b(?:insert|merge)\s+)\binto\b|\bhold\b|pg_temp|u&|--|\/\*/i
/** Matches the table of an `INSERT`, up to its column list. */
const TARGET = /^\s*insert\s+into\s+[\w$."]+\s*\(/i
/** Matches a name before a parenthesis, and the dot before the name, unless the schema is `pg_catalog`. */
const CALL =
  /(?:(?<![\w$".])pg_catalog\.|(\.\s*))?(?<![\w$"\u0080-\uffff])([\w$"\u0080-\uffff]+)\s*\(/g
/**
 * SQL keywords that can precede a parenthesis, and the most common PostgreSQL functions that do not change the session.
 */
const HARMLESS = new Set(
  (
    'all and any array as between bit by case cast char character coalesce conflict cube current_time current_timestamp decimal default distinct else ' +
    'except exists extract filter float from greatest group grouping having ilike in insert intersect interval is join lateral least like limit localtime ' +
    'localtimestamp materialized not nullif numeric of offset on only or order over overlay partition position returning rollup row select set sets similar ' +
    'some substring then time timestamp timestamptz timetz to trim union using values varbit varchar varying when where with within ' +
    'abs age array_agg array_length avg bool_and bool_or cardinality ceil char_length concat concat_ws count current_setting date date_part date_trunc ' +
    'dense_rank floor format gen_random_uuid generate_series json_agg json_array_elements json_build_array json_build_object json_object_agg ' +
    'jsonb_agg jsonb_array_elements jsonb_array_length jsonb_build_array jsonb_build_object jsonb_object_agg jsonb_set lag lead left length lower lpad ltrim ' +
    'make_interval max md5 min mod now pg_backend_pid plainto_tsquery power rank regexp_replace replace right round row_number row_to_json rpad rtrim sqrt ' +
    'string_agg string_to_array strpos substr sum to_char to_date to_json to_jsonb to_number to_timestamp to_tsquery to_tsvector trunc ts_rank unnest upper'
  ).split(' '),
)
/**
 * The maximum length of a parsed statement. For longer statements, cleaning the connection takes less time than
 * parsing.
 */
const LONG_TEXT = 20_000
/**
 * The maximum number of cached statements, and the maximum length of each. An application has few different statements,
 * unless it writes values into them.
 */
const [MOST_KEPT, LONGEST_KEPT] = [1000, 4096]
const kept = new Map<string, StatementClass>()

/**
 * Classifies a statement by its first words and by the functions that it calls. In case of doubt, the statement counts
 * as leaving state. This does not protect against attackers; the settings of every transaction separate tenants. It
 * only detects state that a session could keep for its next user.
 */
export function classifyStatement(text: string): StatementClass {
  const known = kept.get(text)
  if (known !== undefined) return known
  const found = classify(text)
  if (kept.size >= MOST_KEPT) kept.clear()
  if (text.length <= LONGEST_KEPT) kept.set(text, found)
  return found
}

function classify(text: string): StatementClass {
  const start = wordsOf(text, 3).join(' ')
  const control = CONTROL.exec(start)?.[0] ?? null
  const isPlain = control !== null || (PLAIN.test(start) && !isDoubtful(text))
  const other = start.startsWith('load ') ? 'library' : 'something'
  const reads = isPlain && READING.test(start) && !WRITING.test(text)
  return { control, reads, leaves: isPlain ? 'nothing' : other, readsClient: readsClient(text) }
}

function isDoubtful(text: string): boolean {
  if (text.length > LONG_TEXT || DOUBTFUL.test(text)) return true
  const calls = [...text.replace(TARGET, '').matchAll(CALL)]
  return calls.some(([, dot, name = '']) => dot !== undefined || !HARMLESS.has(name.toLowerCase()))
}

function readsClient(text: string): boolean {
  if (!/\bstdin\b/i.test(text)) return false
  const words = wordsOf(text)
  return words.some((word, index) => word === 'stdin' && words[index - 1] === 'from')
}

/**
 * Returns the first tokens in lower case, with an empty string for each quoted token. Skips empty statements and
 * parentheses at the beginning. Ends at an unclosed quote, because PostgreSQL refuses such a statement.
 */
function wordsOf(text: string, most = Number.POSITIVE_INFINITY): string[] {
  const words: string[] = []
  try {
    for (const token of tokensOf(text)) {
      if (words.length > 0 || !/[;(]/.test(token.text)) words.push(token.text)
      if (words.length === most) break
    }
  } catch {
    // The statement ends inside a quote.
  }
  return words
}
