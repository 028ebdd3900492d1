import {
  type AppOptions,
  Auth,
  type AuthGuard,
  Can,
  Controller,
  Get,
  type RouteModel,
} from 'blazon'
import { jwt } from 'blazon/jwt'
import { TestApp } from 'blazon/testing'
import { describe, expect, it, onTestFinished } from 'vitest'

const scopes = ({ abilities }: RouteModel) => ['openid', ...(abilities ?? [])]
const oidc: AuthGuard = {
  canActivate: () => true,
  security: {
    type: 'openIdConnect',
    openIdConnectUrl: 'https://id.example.com/.well-known/openid-configuration',
  },
  scopes,
}
const flows = {
  authorizationCode: {
    authorizationUrl: 'https://id.example.com/authorize',
    tokenUrl: 'https://id.example.com/token',
    scopes: { openid: 'Who you are', 'orders:read': 'Read orders' },
  },
}
const oauth: AuthGuard = { canActivate: () => true, security: { type: 'oauth2', flows }, scopes }
/** HTTP authentication has no scopes in OpenAPI 3.0. */
const token = jwt({ keys: 'x'.repeat(32), requiredScopes: ['openid'] })
/** The same tokens, described as what the issuer is. */
const described = jwt({
  keys: 'x'.repeat(32),
  requiredScopes: ['openid'],
  security: oidc.security as NonNullable<AuthGuard['security']>,
})

@Auth('oidc', 'oauth', 'token', 'described')
@Controller('orders')
class OrdersController {
  @Can('orders:read')
  @Get()
  list() {}

  @Auth('oauth', { optional: true })
  @Get('maybe')
  maybe() {}
}

async function start(options: AppOptions = {}) {
  const app = await TestApp.create({
    controllers: [OrdersController],
    auth: { guards: { oidc, oauth, token, described } },
    ...options,
  })
  onTestFinished(() => app.close())
  return app
}

describe.each(['3.0', '3.1', '3.2'] as const)('an OpenAPI %s document', (openapi) => {
  it('describes OAuth 2.0, its flows, OpenID Connect, and the scopes of each operation', async () => {
    const { document } = await start({ swagger: { openapi } })
    expect(document.components.securitySchemes).toEqual({
      oidc: oidc.security,
      oauth: oauth.security,
      token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
      described: oidc.security,
    })
    expect(document.paths['/orders']?.get?.security).toEqual([
      { oidc: ['openid', 'orders:read'] },
      { oauth: ['openid', 'orders:read'] },
      { token: [] },
      { described: ['openid'] },
    ])
    expect(document.paths['/orders/maybe']?.get?.security).toEqual([{ oauth: ['openid'] }, {}])
  })
})
