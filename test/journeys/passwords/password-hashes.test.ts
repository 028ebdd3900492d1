import { hash, verify } from '@node-rs/argon2'
import { expect, it } from 'vitest'
import { PasswordHashes } from './password-hashes.js'
import { CHEAP } from './support.js'

const PASSWORD = 'correct horse battery'

it('a hash has the RFC 9106 cost, and another argon2id implementation verifies it', async () => {
  const stored = await new PasswordHashes().hash(PASSWORD)
  expect(stored).toMatch(/^\$argon2id\$v=19\$m=65536,t=3,p=4\$/)
  expect(await verify(stored, PASSWORD)).toBe(true)
  expect(await verify(stored, 'another')).toBe(false)
})

it('hashes of another implementation are accepted, and hashes with another cost are reported as old', async () => {
  const cost = { memoryCost: CHEAP.m, timeCost: CHEAP.t, parallelism: CHEAP.p }
  const hashes = new PasswordHashes({ cost: CHEAP })
  expect(await hashes.check(PASSWORD, await hash(PASSWORD, cost))).toBe('right')
  for (const other of [{ memoryCost: 128 }, { timeCost: 2 }, { parallelism: 2 }]) {
    const stored = await hash(PASSWORD, { ...cost, ...other })
    expect(await hashes.check(PASSWORD, stored)).toBe('old')
    expect(await hashes.check('another', stored)).toBe('wrong')
  }
})

it.each(['', 'correct horse battery', '$2b$10$abc', '$argon2id$v=19$m=64,t=1$AAAA$AAAA'])(
  'check() throws if the stored value %j is not a hash',
  async (stored) => {
    await expect(new PasswordHashes({ cost: CHEAP }).check(PASSWORD, stored)).rejects.toThrow(
      'A stored password is not a hash of argon2id or scrypt.',
    )
  },
)

it('each hash has a new salt, and is refused if its key is truncated', async () => {
  const hashes = new PasswordHashes({ cost: CHEAP })
  const [one, other] = [await hashes.hash(PASSWORD), await hashes.hash(PASSWORD)]
  expect(one).not.toBe(other)
  expect(await hashes.check(PASSWORD, one.slice(0, -4))).toBe('wrong')
})
