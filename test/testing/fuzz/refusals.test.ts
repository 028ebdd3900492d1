import { Body, Controller, HttpError, Post, type Request } from 'blazon'
import { type FuzzOptions, TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

let status = 0

@Controller('things')
class ThingsController {
  /** Refuses what its schema, and so its document, allows. */
  @Post('refused')
  @Body(z.object({ name: z.string() }))
  refused() {
    throw new HttpError(status, 'Not this one')
  }

  /** Takes what its document does not allow. */
  @Post('taken')
  taken(_req: Request) {
    return {}
  }
}

const options: FuzzOptions = { seed: 1, runs: 30 }

async function fuzzed(more: FuzzOptions = {}): Promise<string> {
  await using app = await TestApp.create({ controllers: [ThingsController], logger: false })
  const operations = ({ handler }: { handler: string }) => handler === 'ThingsController.refused'
  const failure = await app.fuzz({ ...options, operations, ...more }).catch((error) => error)
  return failure instanceof Error ? failure.message : 'nothing'
}

describe('a request that is valid according to the document', () => {
  it.each([400, 413, 415, 422])(
    'makes fuzz() fail if the application refuses it with %i',
    async (each) => {
      status = each
      const message = await fuzzed()
      expect(message).toContain('fails for a request of the kind valid')
      expect(message).toContain(`not ${each}: the document allows this request`)
      expect(message).toContain(`expect([400, 413, 415, 422]).not.toContain(response.status)`)
      expect(await fuzzed({ allow: { Things_refused: 'stricter' } })).toBe('nothing')
    },
  )

  it.each([404, 405, 409])(
    'does not make fuzz() fail if the response has the status %i',
    async (each) => {
      status = each
      expect(await fuzzed()).toBe('nothing')
    },
  )

  it.each([500, 501, 503])('makes fuzz() fail if the response has the status %i', async (each) => {
    status = each
    expect(await fuzzed()).toContain('no server error')
  })
})
