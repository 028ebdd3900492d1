import { defineAppOptions } from 'blazon'
import { HelloController } from './hello-controller.js'

/** The application. `main.ts` starts it; the tests and the command `blazon` read it. */
export const options = defineAppOptions({
  controllers: [HelloController],
  // `version` is the API's version, as in package.json.
  swagger: { title: 'project-name', version: '0.1.0' },
})
