import { defineAppOptions } from 'blazon'
import { Env } from './env.js'
import { NotesController } from './notes-controller.js'
import { NotesRepository } from './notes-repository.js'
import { tokenGuard } from './token-guard.js'

/** The application without its stores. `main.ts` starts it; the tests and the command `blazon` read it. */
export const options = defineAppOptions({
  controllers: [NotesController],
  providers: [NotesRepository, Env.provider],
  auth: { guard: tokenGuard },
  // The token determines the tenant. A request with another tenant in X-Tenant-Id is refused.
  tenant: {},
  // Clients connect directly. Behind proxies or load balancers, all clients would have the address of the last proxy:
  // set the number of proxies, such as 1.
  trustProxy: false,
  rateLimit: { limit: 300, window: '1m' },
  requestIds: true,
  // /livez, /readyz and /startupz, for the platform that runs the container.
  health: true,
  // The documentation also describes protected routes, so it is not served in production.
  swagger: {
    title: 'project-name',
    // The version of the API, as in package.json.
    version: '0.1.0',
    enabled: process.env['NODE_ENV'] !== 'production',
  },
})
