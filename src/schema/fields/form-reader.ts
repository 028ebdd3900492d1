import type { References } from '../dialect/references.js'
import type { Form } from './form.js'
import type { Matches } from './matcher.js'

/** The functions with which a schema is read. */
export interface FormReader {
  readonly resolve: References['resolve']
  readonly matches: Matches
  /** Returns the form of a schema, the same one for the same schema. */
  readonly read: (schema: unknown) => Form
}
