import { randomBytes } from 'node:crypto'
import { jwt, jwtMetadata } from 'blazon/jwt'
import { describe, expect, it } from 'vitest'
import { createGuarded } from './app.js'
import { makeKey, startIssuer } from './issuer.js'

const first = makeKey('k1')

describe('the metadata of a protected resource', () => {
  it('has the options of the plugin, and no methods for a scheme that is not Bearer', async () => {
    const resource = 'https://api.example.com'
    const guard = jwt({ keys: randomBytes(32), resource, scheme: 'Token', requiredScopes: ['a'] })
    const options = {
      scopes: ['a', 'b'],
      authorizationServers: ['https://one.example', 'https://two.example'],
      documentation: 'https://docs.example',
    }
    const { app, send } = await createGuarded(guard, { plugins: [jwtMetadata(guard, options)] })
    const path = '/.well-known/oauth-protected-resource'
    expect((await send(undefined)).challenge).toBe(`Token resource_metadata="${resource}${path}"`)
    expect((await app.request().get(path)).body).toEqual({
      resource,
      authorization_servers: options.authorizationServers,
      scopes_supported: ['a', 'b'],
      resource_documentation: 'https://docs.example',
    })
    const plain = jwt({ keys: randomBytes(32), resource, scheme: 'bearer' })
    const other = await createGuarded(plain, { plugins: [jwtMetadata(plain)] })
    expect((await other.app.request().get(path)).body).toEqual({
      resource,
      authorization_servers: [],
      bearer_methods_supported: ['header'],
    })
  })

  it('is served, and its URL appears in challenges', async () => {
    const issuer = await startIssuer(first)
    const resource = 'https://api.example.com/v1'
    const guard = jwt({
      issuer: issuer.url,
      audience: 'orders',
      resource,
      requiredScopes: ['orders'],
    })
    const plugins = [jwtMetadata(guard, { name: 'Orders' })]
    const { app, send } = await createGuarded(guard, { plugins })
    const url = 'https://api.example.com/.well-known/oauth-protected-resource/v1'
    expect((await send(undefined)).challenge).toBe(`Bearer resource_metadata="${url}"`)
    expect((await send('x')).challenge).toBe(
      `Bearer error="invalid_token", resource_metadata="${url}"`,
    )
    const { body } = await app.request().get(new URL(url).pathname)
    expect(body).toEqual({
      resource,
      authorization_servers: [issuer.url],
      scopes_supported: ['orders'],
      bearer_methods_supported: ['header'],
      resource_name: 'Orders',
    })
    expect(() => jwtMetadata(jwt({ keys: randomBytes(32) }))).toThrow(
      'The guard lacks this option, which jwtMetadata() requires',
    )
  })
})
