import type { EnvelopeChoice, ErrorFormat } from '../../contracts/wire-format.js'
import { invalid, type Problem } from '../../errors/config-error.js'
import type { OptionGroup } from '../../errors/option-group.js'
import { checkEnvelope } from '../../model/check-envelope.js'

/** The `envelope` option: the envelope of routes without `@Envelope`. */
export const envelopeGroup: OptionGroup<EnvelopeChoice | undefined, EnvelopeChoice> = {
  unknown: () => [],
  check: (envelope) => (envelope === undefined ? [] : checkEnvelope('envelope', envelope)),
  resolve: (envelope) => envelope ?? true,
}

/** The options that choose the wire format. */
interface WireOptions {
  readonly envelope?: unknown
  readonly errors?: unknown
}

/** Checks that only one option has a format of errors. */
export function checkErrorFormats({ envelope, errors }: WireOptions): Problem[] {
  const own = (envelope as { readonly error?: ErrorFormat } | undefined | null)?.error
  const isTwice = own !== undefined && (errors === 'problem' || hasFormat(errors))
  if (!isTwice) return []
  const cause = '`errors` has a format of errors, too, and only one of them can be used.'
  return [invalid('envelope.error', cause, 'Remove one of the two.')]
}

function hasFormat(errors: unknown): boolean {
  return (errors as { readonly format?: unknown } | undefined | null)?.format !== undefined
}
