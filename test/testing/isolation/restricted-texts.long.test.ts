import { Body, Controller, Get, HttpCode, Post, type Req, requireTenantId, Tenant } from 'blazon'
import { type IsolationOptions, TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

/** The evidence of `POST /rows` and `GET /rows`, for rows with one text. */
async function evidenceFor(text: z.ZodType<string>, how: IsolationOptions = {}) {
  const Row = z.object({ text })
  const rows: { owner: string; text: string }[] = []

  @Tenant()
  @Controller('rows')
  class RowsController {
    @Post()
    @HttpCode(201)
    @Body(Row)
    add({ body }: Req<{ body: typeof Row }>) {
      rows.push({ owner: requireTenantId(), text: body.text })
      return { isAdded: true }
    }

    @Get()
    list() {
      return rows.filter(({ owner }) => owner === requireTenantId()).map((row) => row.text)
    }
  }
  await using app = await TestApp.create({ controllers: [RowsController], tenant: {} })
  const tenants = ['acme', 'globex']
  const report = await app.proveIsolation({ tenants, seed: 1, rounds: 1, ...how })
  expect(report.leaks).toEqual([])
  const evidenceOf = (operation: string) =>
    report.verdicts.find((row) => row.operation === operation)?.evidence
  return {
    texts: rows.map((row) => row.text),
    add: evidenceOf('POST /rows'),
    list: evidenceOf('GET /rows'),
  }
}

const SEEN = 'each tenant saw its own data'

describe('random texts are generated for a string with a pattern', () => {
  it.each([
    [
      'that excludes a character',
      z
        .string()
        .trim()
        .min(1)
        .max(1000)
        .regex(/^[^\0]*$/),
    ],
    ['of words', z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/)],
    ['with a fixed prefix and suffix', z.string().regex(/^ord_[a-z0-9]{16,40}\.v1$/)],
    ['that begins with a letter', z.string().regex(/^[a-z][a-z0-9]*$/)],
    ['of a fixed length', z.string().regex(/^[0-9a-f]{24}$/)],
    ['of capital letters and digits', z.string().regex(/^[A-Z0-9]{20,}$/)],
    ['of an e-mail address', z.email()],
  ])('%s', async (_, text) => {
    const { list, texts } = await evidenceFor(text)
    expect(list).toBe(SEEN)
    expect(texts).not.toEqual([])
  })
})

describe('the report about a field that no random text fits', () => {
  it('contains the pattern of the field', async () => {
    const { add } = await evidenceFor(z.string().regex(/^\d{3}$/))
    expect(add).toBe(
      'no tenant saw its own data; no random text fits text (/^\\d{3}$/); set a value for the field with the option texts',
    )
  })

  it('contains the maximum length of the field', async () => {
    const { add } = await evidenceFor(z.string().max(7))
    expect(add).toContain('no random text fits text (at most 7 characters)')
  })

  it('names a limit that only the validator checks', async () => {
    const { add } = await evidenceFor(z.string().refine((text) => text.length < 16, 'Too long'))
    expect(add).toContain('the application refuses random texts (text: Too long)')
  })

  it('names a limit that no generated value meets', async () => {
    const isCode = (text: string) => /^[0-9]-code-/.test(text)
    const { add } = await evidenceFor(z.string().refine(isCode, 'Not a code'))
    expect(add).toBe(
      'no tenant got a 2xx response: 400 (text: Not a code); set a value for the field with the option texts',
    )
  })

  it('names a field for which no value can be generated', async () => {
    const { add } = await evidenceFor(z.string().regex(/^(?=.*\d)(?=.*[a-z])k.{7,}$/))
    expect(add).toBe(
      'no value was found that its schema accepts: body.text; set a value for the field with the option texts',
    )
  })
})

describe('the texts option', () => {
  it('replaces the random texts of the named fields', async () => {
    const isCode = (text: string) => /^[0-9]-code-/.test(text)
    const { add, list, texts } = await evidenceFor(z.string().refine(isCode), {
      texts: { text: (random) => `7-code-${random}` },
    })
    expect([add, list]).toEqual([expect.anything(), SEEN])
    expect(texts.every((text) => /^7-code-[0-9a-f]{32}$/.test(text))).toBe(true)
  })

  it('is called with a shorter random text if its result is too long', async () => {
    const { list, texts } = await evidenceFor(z.string().max(24), {
      texts: { text: (random) => `7-code-${random}` },
    })
    expect(list).toBe(SEEN)
    expect(texts.every((text) => /^7-code-[0-9a-f]{16}$/.test(text))).toBe(true)
  })

  it('supplies values that cannot be generated from the schema', async () => {
    const { list } = await evidenceFor(z.string().regex(/^(?=.*\d)(?=.*[a-z])k.{7,}$/), {
      texts: { text: (random) => `k7${random}` },
    })
    expect(list).toBe(SEEN)
  })

  it('accepts only functions', async () => {
    const texts = { text: 'fixed' } as unknown as Record<string, () => string>
    await expect(evidenceFor(z.string(), { texts })).rejects.toThrow('proveIsolation({ texts })')
  })
})
