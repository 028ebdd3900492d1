import type { Feature } from '../../step/feature.js'
import type { OutgoingSettings } from './outgoing-options.js'

export { type OutgoingSettings, outgoingGroup } from './outgoing-options.js'

/** The errors of calls in the document. Each operation has a 400 in any case. */
export const outgoing: Feature<{ readonly outgoing: OutgoingSettings }> = {
  name: 'outgoing',
  // Any handler may call another host, and no decorator shows which of them does.
  contract: ({ outgoing: { circuit } }) => (circuit ? () => ({ errors: [503] }) : null),
  facts: ({ outgoing: { circuit } }) => circuit,
}
