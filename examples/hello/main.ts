import { App } from 'blazon'
import { options } from './app.js'

await new App(options).listen(3000)
