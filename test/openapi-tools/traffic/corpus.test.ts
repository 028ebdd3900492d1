import { describe, expect, it } from 'vitest'
import { corpus } from '../../openapi/corpus/corpus.js'
import { corpusOptions, type Entry, options, pathOf } from '../apps/corpus-app.js'
import { documentOf } from '../apps/document-of.js'
import { withoutRepeatedErrors } from '../apps/without-repeated-errors.js'
import { type Exchange, send } from './exchange.js'
import { openGateway } from './gateway.js'
import { createBackend } from './openapi-backend.js'
import { withServer } from './with-server.js'

/** The number of schemas of one application. The validator compiles the whole document for each operation. */
const CHUNK = 25

/** Values of every type, sent to every schema. */
const VALUES = [{}, [], 'x', 1]

/** Whether the document can express all of a schema. */
function isExact({ name, exceptions }: Entry): boolean {
  // In 'annotations', the validator fills in the default of a `readOnly` property, and then refuses this property.
  return exceptions === undefined && name !== 'annotations'
}

/**
 * The requests for which the application alone responds with another status than the application after the validator.
 */
async function disagreements(entries: readonly Entry[]): Promise<string[]> {
  const exchanges = entries.flatMap((entry) =>
    VALUES.map((json): Exchange => {
      const name = `${entry.library}: ${entry.name} ${JSON.stringify(json)}`
      return { name, method: 'POST', path: pathOf(entry), json, status: 0 }
    }),
  )
  const small = corpusOptions(entries)
  return withServer(small, async (upstream) => {
    const document = documentOf(small)
    const gateway = await openGateway({ document, upstream, exchanges, validatesRequests: true })
    const found: string[] = []
    for (const [index, exchange] of exchanges.entries()) {
      const own = await send(upstream, exchange)
      const { status, body } = await send(gateway.origin, exchange, { 'x-exchange': String(index) })
      if (status !== own.status) found.push(`${exchange.name}: ${own.status}, ${status} ${body}`)
    }
    found.push(...gateway.takeProblems())
    await gateway.close()
    return found
  })
}

describe('an application with the schemas of the corpus', () => {
  it('has a document that openapi-backend can read', async () => {
    const document = withoutRepeatedErrors(documentOf(options))
    expect(await createBackend(document)).toBeInstanceOf(Function)
  })

  it.each([...new Set(corpus.map(({ library }) => library))])(
    'accepts and rejects the same values as express-openapi-validator: %s',
    async (library) => {
      const entries = corpus.filter((entry) => entry.library === library && isExact(entry))
      for (let at = 0; at < entries.length; at += CHUNK) {
        expect(await disagreements(entries.slice(at, at + CHUNK))).toEqual([])
      }
    },
  )
})
