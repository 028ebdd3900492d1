import type { Feature } from '../../step/feature.js'
import type { OutgoingSettings } from './outgoing-options.js'

export { type OutgoingSettings, outgoingGroup } from './outgoing-options.js'

/** The `outgoing` option. Adds the errors of calls to the document, except 400, which every operation already has. */
export const outgoing: Feature<{ readonly outgoing: OutgoingSettings }> = {
  name: 'outgoing',
  // Any handler can call another host, and no decorator shows which handlers do.
  contract: ({ outgoing: { circuit } }) => (circuit ? () => ({ errors: [503] }) : null),
  facts: ({ outgoing: { circuit } }) => circuit,
}
