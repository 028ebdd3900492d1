import { type } from 'arktype'
import { secret } from 'blazon'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import * as mini from 'zod/mini'
import { isSecret } from '../../src/schema/secret.js'

describe('the mark of a secret', () => {
  it.each<[string, object]>([
    ['secret() with zod', secret(z.string())],
    ['secret() with zod/mini', secret(mini.string())],
    ['secret() with valibot', secret(v.string())],
    ['secret() with arktype', secret(type('string'))],
    ['secret() with a JSON Schema', secret({ type: 'string' })],
    ['the metadata of zod', z.string().meta({ secret: true })],
    ['the metadata of valibot', v.pipe(v.string(), v.metadata({ secret: true }))],
    ['the metadata of arktype', type('string').configure({ secret: true } as never)],
    ['a wrapped schema', secret(z.string()).optional().default('a')],
    ['an alternative', z.union([z.number(), secret(z.string())])],
    ['the result of a transform', z.string().transform(Number).pipe(secret(z.number()))],
  ])('is found: %s', (_, schema) => {
    expect(isSecret(schema)).toBe(true)
  })

  it.each<[string, object]>([
    ['zod', z.string().meta({ secret: false })],
    ['valibot', v.pipe(v.string(), v.metadata({ secret: 'yes' }))],
    ['a JSON Schema', { type: 'string', secret: 'true' }],
  ])('is only `secret: true`: %s', (_, schema) => {
    expect(isSecret(schema)).toBe(false)
  })

  it('does not change the original schema', () => {
    for (const schema of [
      z.string(),
      mini.string(),
      v.string(),
      type('string'),
      { type: 'string' },
    ]) {
      expect(secret(schema)).not.toBe(schema)
      expect(isSecret(schema)).toBe(false)
    }
  })
})
