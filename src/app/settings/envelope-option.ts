import type { ErrorFormat } from '../../contracts/wire-format.js'
import type { Problem } from '../../errors/config-error.js'
import { invalid } from '../../errors/invalid.js'
import { checkEnvelope } from '../../model/check-envelope.js'

/** The options that choose the wire format. */
interface WireOptions {
  readonly envelope?: unknown
  readonly errors?: unknown
}

/** Checks the `envelope` option, and that only one option has a format of errors. */
export function checkAppEnvelope({ envelope, errors }: WireOptions): Problem[] {
  if (envelope === undefined) return []
  const problems = checkEnvelope('envelope', envelope)
  const own = (envelope as { readonly error?: ErrorFormat } | null)?.error
  const isTwice = own !== undefined && (errors === 'problem' || hasFormat(errors))
  if (!isTwice) return problems
  const cause = '`errors` has a format of errors, too, and only one of them can be used.'
  return [...problems, invalid('envelope.error', cause, 'Remove one of the two.')]
}

function hasFormat(errors: unknown): boolean {
  return (errors as { readonly format?: unknown } | undefined | null)?.format !== undefined
}
