import { Body, type Class, Controller, Post, type Request } from 'blazon'
import { TestApp } from 'blazon/testing'
import { expect, it } from 'vitest'
import { z } from 'zod'

const Order = z.object({
  item: z.string().min(1),
  count: z.coerce.number(),
  tags: z.array(z.string()).optional(),
})
/** JSON is not coerced: a boolean as a number would be looser than the document. */
const JsonOrder = Order.extend({ count: z.number() })
const seen = new Map<string, number>()

@Controller('bodies')
class BodiesController {
  @Post('many')
  @Body(JsonOrder)
  @Body(Order, { type: 'form' })
  @Body(z.string().max(20), { type: 'text' })
  @Body({ type: 'bytes', contentType: 'image/*' })
  many(req: Request) {
    const type = String(req.get('content-type'))
    seen.set(type, (seen.get(type) ?? 0) + 1)
    return {}
  }
}

async function fuzz(controller: Class) {
  const app = await TestApp.create({ controllers: [controller], contract: 'throw', logger: false })
  try {
    return await app.fuzz({ seed: 7, runs: 300 })
  } finally {
    await app.close()
  }
}

it('fuzz() sends every type of body, and accepts a correct document', async () => {
  const report = await fuzz(BodiesController)
  expect(report.skipped).toEqual([])
  expect([...seen.keys()].sort()).toEqual([
    'application/json',
    'application/x-www-form-urlencoded',
    'image/x-fuzz',
    'text/plain',
  ])
})

it.each(['form', 'text', 'bytes'] as const)(
  'fuzz() finds a handler error that a body of the type %s causes',
  async (type) => {
    @Controller('broken')
    class Broken {
      @Post()
      @Body({ type })
      create(req: Request) {
        if (Object.keys(req.body).length > 1) throw new TypeError('planted')
        return {}
      }
    }
    await expect(fuzz(Broken)).rejects.toThrow('expected: no server error')
  },
)
