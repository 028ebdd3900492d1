import type { OpenApiDocument, OpenApiSchema } from '../../contracts/openapi.js'
import { ERROR_SCHEMAS } from '../../openapi/envelopes.js'
import { createResponseCompiler, type FindMismatches } from '../../schema/response-validator.js'

/** Compiles the schemas of responses, with one compiler for each document. */
export class ResponseCompilers {
  readonly #compilers = new WeakMap<OpenApiDocument, (schema: OpenApiSchema) => FindMismatches>()

  of(document: OpenApiDocument): (schema: OpenApiSchema) => FindMismatches {
    const known = this.#compilers.get(document)
    if (known !== undefined) return known
    const compile = createResponseCompiler({ ...ERROR_SCHEMAS, ...document.components.schemas })
    this.#compilers.set(document, compile)
    return compile
  }
}
