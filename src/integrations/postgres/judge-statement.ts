import { PLAIN_FUNCTIONS } from './plain-functions.js'
import { type Token, tokensOf } from './sql-tokens.js'

/** What is known of a statement before it runs. */
export interface Verdict {
  /** The words by which it begins or ends a transaction; `null` where it does neither. */
  readonly control: string | null
  /** Whether it only reads: a connection that is lost meanwhile leaves no doubt. */
  readonly reads: boolean
  /**
   * What it may leave in its session behind its transaction: `nothing`; `something` that `DISCARD ALL` takes away; or a `library`, which nothing does.
   */
  readonly leaves: 'nothing' | 'something' | 'library'
}

/** Commands that leave nothing by themselves. Every other one may: nobody can list what does. */
const PLAIN_COMMANDS = new Set(
  'select insert update delete merge with values table show savepoint release fetch move close lock notify'.split(
    ' ',
  ),
)
const READING = new Set('select with values table show fetch move'.split(' '))
/** Words that write, wherever they stand; `update` does not behind `for` and `key`. */
const WRITING = new Set('insert update delete merge nextval setval pg_notify'.split(' '))
const CONTROLS = new Set(['begin', 'commit', 'end', 'abort'])

/** Words of SQL that stand before a bracket without calling anything; the types among them have a size. */
const BEFORE_BRACKET = new Set(
  (
    'all and any array as between bit by case cast char character coalesce conflict cube current_time current_timestamp decimal default distinct else ' +
    'escape except exists extract filter first float from greatest group grouping having ilike in insert intersect interval is join lateral least like ' +
    'limit localtime localtimestamp materialized next normalize not nullif numeric of offset on only or order over overlay partition position ' +
    'returning rollup row rows select set sets similar some substring then time timestamp timestamptz timetz to trim union using values varbit varchar ' +
    'varying when where with within'
  ).split(' '),
)
/** What stands behind these and before a bracket is a name, and its columns are in the bracket. */
const BEFORE_NAME = new Set(['into', 'as', 'with', 'recursive'])

/** A longer text is not read to its end: to clean a connection takes less time. */
const LONG_TEXT = 20_000
/** So many characters of texts are remembered. A program has few statements, unless it writes values into them. */
const MOST_CHARACTERS = 2_000_000
/** As many as say that a statement begins or ends a transaction. */
const FIRST_WORDS = 3
const verdicts = new Map<string, Verdict>()
let characters = 0

/**
 * Judges a statement by its words, behind comments and quotes. What it says is no fence against who means harm: what separates tenants is set for each
 * transaction anew, and this is about what else one would find that another has left.
 */
export function judgeStatement(text: string): Verdict {
  const known = verdicts.get(text)
  if (known !== undefined) return known
  const verdict = judge(text)
  if (text.length <= LONG_TEXT) remember(text, verdict)
  return verdict
}

function remember(text: string, verdict: Verdict): void {
  characters += text.length
  if (characters > MOST_CHARACTERS) {
    verdicts.clear()
    characters = text.length
  }
  verdicts.set(text, verdict)
}

function judge(text: string): Verdict {
  const tokens = readTokens(text)
  if (tokens === null) return { control: null, reads: false, leaves: 'something' }
  const statement = new JudgedStatement(text, tokens)
  const { control } = statement
  if (control !== null) return { control, reads: false, leaves: 'nothing' }
  const isPlain = text.length <= LONG_TEXT && statement.isPlain()
  const leaves = isPlain ? 'nothing' : statement.command === 'load' ? 'library' : 'something'
  return { control, reads: isPlain && statement.reads(), leaves }
}

/** Of a long text the first words; `null` for what PostgreSQL cannot read either. Empty statements before the first, and brackets around it, say nothing. */
function readTokens(text: string): Token[] | null {
  const tokens: Token[] = []
  try {
    for (const token of tokensOf(text)) {
      if (tokens.length === 0 && (token.text === ';' || token.text === '(')) continue
      tokens.push(token)
      if (tokens.length === FIRST_WORDS && text.length > LONG_TEXT) break
    }
  } catch {
    return null
  }
  return tokens
}

class JudgedStatement {
  readonly #text: string
  readonly #tokens: readonly Token[]

  constructor(text: string, tokens: readonly Token[]) {
    this.#text = text
    this.#tokens = tokens
  }

  /** The first word. */
  get command(): string {
    return this.#word(0)
  }

  get control(): string | null {
    const [first, second, third] = [this.command, this.#word(1), this.#word(2)]
    if (CONTROLS.has(first)) return first
    const isPair = first === 'start' || first === 'prepare'
    if (isPair && second === 'transaction') return `${first} ${second}`
    if (first !== 'rollback') return null
    const isPart = second === 'to' || (/^(?:work|transaction)$/.test(second) && third === 'to')
    return isPart ? null : first
  }

  isPlain(): boolean {
    const { command } = this
    if (command === 'set') return /^(?:local|constraints|transaction)$/.test(this.#word(1))
    // No statement at all, a part that is undone, and a cursor of the transaction.
    const isKnown = PLAIN_COMMANDS.has(command) || /^(?:|rollback|declare)$/.test(command)
    return isKnown && this.#tokens.every((token, index) => this.#isPlainAt(token, index))
  }

  reads(): boolean {
    if (!READING.has(this.command)) return false
    return !this.#tokens.some(({ text }, index) => {
      const isLock = text === 'update' && /^(?:for|key)$/.test(this.#word(index - 1))
      return WRITING.has(text) && !isLock
    })
  }

  #isPlainAt({ text, kind }: Token, index: number): boolean {
    if (text === '(') return this.#isNoCall(index)
    if (kind !== 'word') return true
    // A table is made of a query.
    if (text === 'into') return /^(?:insert|merge)$/.test(this.#word(index - 1))
    // A name that is written in escapes may be any.
    if (text === 'u') return this.#tokens[index + 1]?.text !== '&'
    return text !== 'hold' && !text.startsWith('pg_temp')
  }

  /** Whether a bracket is not that of a function, or of one that is known to leave nothing. */
  #isNoCall(bracket: number): boolean {
    const before = this.#tokens[bracket - 1]
    if (before === undefined || !this.#isName(before)) return true
    const isQualified = this.#tokens[bracket - 2]?.text === '.'
    const start = isQualified ? bracket - 3 : bracket - 1
    if (BEFORE_NAME.has(this.#word(start - 1))) return true
    if (isQualified && this.#word(start) !== 'pg_catalog') return false
    const { text } = before
    if (text === 'set_config') return this.#isLocal(bracket)
    return PLAIN_FUNCTIONS.has(text) || (!isQualified && BEFORE_BRACKET.has(text))
  }

  #isName({ kind, start }: Token): boolean {
    return kind === 'word' || (kind === 'quoted' && this.#text[start] === '"')
  }

  /** Whether the last argument of `set_config` says, as a word, that it ends with the transaction. */
  #isLocal(bracket: number): boolean {
    let depth = 0
    for (let index = bracket; index < this.#tokens.length; index++) {
      const { text } = this.#tokens[index] as Token
      if (text === '(') depth++
      else if (text === ')') depth--
      if (depth === 0) return this.#word(index - 1) === 'true' && this.#isComma(index - 2)
    }
    return false
  }

  #isComma(index: number): boolean {
    return this.#tokens[index]?.text === ','
  }

  /** Empty where there is no word that is not quoted. */
  #word(index: number): string {
    const token = this.#tokens[index]
    return token?.kind === 'word' ? token.text : ''
  }
}
