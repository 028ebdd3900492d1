import { defineAppOptions } from 'blazon'
import { HelloController } from './hello-controller.js'

/** The application. `main.ts` starts it, the tests and the command `blazon` read it. */
export const options = defineAppOptions({
  controllers: [HelloController],
  swagger: { title: 'project-name' },
})
