// One file, because the rules read every source file as a syntax tree, and a process takes seconds to parse them.
import './comments.js'
import './error-codes.js'
import './exports.js'
import './layers.js'
import './settings.js'
import './style.js'
import './time.js'
