import type { Ajv, Options } from 'ajv'

/** An Ajv class. Each draft of JSON Schema has its own class. */
export type AjvClass = new (options: Options) => Ajv

/**
 * The shared instances that validate schemas, by class: `first` stops at the first error, and `all` collects all
 * errors.
 */
const validators = new WeakMap<AjvClass, { first?: Ajv; all?: Ajv }>()

/**
 * Makes an Ajv instance use the shared validator of its draft, whose meta-schema is already compiled. Otherwise, each
 * of an application's instances (up to four for a draft) would compile its own meta-schema, which takes ten times as
 * long as compiling a typical schema.
 */
export function shareMetaSchema(ajv: Ajv, AjvOfDraft: AjvClass): void {
  ajv.validateSchema = function validateSchema(schema, throwOrLogError) {
    const validator = validatorOf(AjvOfDraft, ajv.opts.allErrors === true)
    const isValid = validator.validateSchema(schema)
    ajv.errors = validator.errors ?? null
    if (!isValid && throwOrLogError) throw new Error(`schema is invalid: ${ajv.errorsText()}`)
    return isValid
  }
}

function validatorOf(AjvOfDraft: AjvClass, allErrors: boolean): Ajv {
  const known = validators.get(AjvOfDraft) ?? {}
  validators.set(AjvOfDraft, known)
  const which = allErrors ? 'all' : 'first'
  known[which] ??= new AjvOfDraft({ allErrors, strict: false, strictNumbers: true, logger: false })
  return known[which]
}
