import type { ErrorObject } from 'ajv'

/** A place where a value does not match its schema. */
export interface Mismatch {
  /** The path of the place, such as `data.items[0].id`; empty for the value itself. */
  readonly path: string
  /** The expected value, such as `integer` or `one of "a", "b"`; `null` if the schema does not document this place. */
  readonly expected: string | null
  /** The value as JSON, truncated after 80 characters; `nothing` if the value is missing. */
  readonly got: string
}

const MAX_SHOWN = 80
/**
 * The maximum number of errors to read. A limit is needed because each error of a union is compared with all earlier
 * errors.
 */
const MAX_ERRORS = 500

/**
 * Converts Ajv's errors to mismatches, one for each path. Drops the errors of alternatives that the sender probably did
 * not intend.
 */
export function toMismatches(errors: readonly ErrorObject[]): Mismatch[] {
  const seen = new Set<string>()
  return withoutBranches(errors.slice(0, MAX_ERRORS))
    .map(toMismatch)
    .filter(({ path }) => !seen.has(path) && seen.add(path))
}

/**
 * When a value matches no alternative, Ajv reports the errors of each alternative and then one error for the union.
 * Only the deepest of these errors is kept, because it probably belongs to the intended alternative. If no error is
 * deeper than the union, the error of the union is kept.
 */
function withoutBranches(errors: readonly ErrorObject[]): ErrorObject[] {
  let kept: ErrorObject[] = []
  for (const error of errors) {
    if (error.keyword !== 'anyOf' && error.keyword !== 'oneOf') {
      kept.push(error)
      continue
    }
    const isWithin = ({ instancePath, schemaPath }: ErrorObject) =>
      `${instancePath}/`.startsWith(`${error.instancePath}/`) &&
      (schemaPath.startsWith(error.schemaPath) || schemaPath.startsWith('#/$defs/'))
    const deeper = kept
      .filter((each) => isWithin(each) && depthOf(each) > depthOf(error))
      .sort((a, b) => depthOf(b) - depthOf(a))
    kept = [...kept.filter((each) => !isWithin(each)), deeper[0] ?? error]
  }
  const choices = kept.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf')
  // Properties of a failed alternative count as unevaluated, so Ajv reports them a second time.
  const isNoise = ({ keyword, instancePath }: ErrorObject) =>
    keyword === 'unevaluatedProperties' &&
    choices.some((choice) => choice.instancePath === instancePath)
  return kept.filter((error) => !isNoise(error))
}

function depthOf({ instancePath, keyword }: ErrorObject): number {
  const isBelow = keyword === 'required' || keyword === 'unevaluatedProperties'
  return instancePath.split('/').length + (isBelow ? 1 : 0)
}

function toMismatch({ keyword, instancePath, params, message, data }: ErrorObject): Mismatch {
  const path = instancePath.split('/').slice(1).map(unescapeSegment)
  const at = (name: string) => pathOf([...path, name])
  switch (keyword) {
    case 'required':
      return { path: at(params['missingProperty']), expected: 'to be present', got: 'nothing' }
    case 'unevaluatedProperties':
    case 'additionalProperties': {
      const name: string = params['unevaluatedProperty'] ?? params['additionalProperty']
      return { path: at(name), expected: null, got: show((data as Record<string, unknown>)[name]) }
    }
    default:
      return { path: pathOf(path), expected: expectedBy(keyword, params, message), got: show(data) }
  }
}

function expectedBy(keyword: string, params: Record<string, unknown>, message = ''): string {
  switch (keyword) {
    case 'type':
      return [params['type']].flat().join(' or ')
    case 'enum':
      return `one of ${(params['allowedValues'] as unknown[]).map((value) => JSON.stringify(value)).join(', ')}`
    case 'format':
      return String(params['format'])
    case 'anyOf':
    case 'oneOf':
      return 'one of its alternatives'
    default:
      return message.replace(/^must NOT /, 'not to ').replace(/^must /, 'to ')
  }
}

/** Decodes the escapes of a JSON Pointer (RFC 6901, section 3). */
function unescapeSegment(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~')
}

function pathOf(segments: readonly string[]): string {
  return segments
    .map((segment) => (/^\d+$/.test(segment) ? `[${segment}]` : `.${segment}`))
    .join('')
    .replace(/^\./, '')
}

function show(value: unknown): string {
  return shorten(JSON.stringify(value) ?? 'nothing')
}

/** Truncates a string after 80 characters for a message. */
export function shorten(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}
