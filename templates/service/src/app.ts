import { defineAppOptions } from 'blazon'
import { Env } from './env.js'
import { NotesController } from './notes-controller.js'
import { NotesStore } from './notes-store.js'
import { tokenGuard } from './token-guard.js'

/** The application. `main.ts` starts it; the tests and the command `blazon` read it. */
export const options = defineAppOptions({
  controllers: [NotesController],
  providers: [NotesStore, Env.provider],
  auth: { guard: tokenGuard },
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
