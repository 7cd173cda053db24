/** Phrases that readers must read twice, and the words to write instead. */
export const proseRules = [
  [
    /\bwho(?:ever)? (?:asks?|starts?|comes?|enters?|leaves?|needs?|wants?|has|have|is|gives?|reads?|runs?|calls?)\b/i,
    'name the caller: "the caller", "the thread"',
  ],
  [/\bwhoever\b/i, 'name who: "the caller", "the user"'],
  [/\bthose (?:that|which|who)\b/i, 'say the noun: "rows that", "plans of"'],
  [/\bof (?:its|their|his) own\b/i, 'use an adjective: "separate", "private", "dedicated"'],
  [
    /\b(?:is|are|was|were) no (?!longer|more than|less than)\w+/i,
    'say what it is not: "is not a number", or an adjective: "invalid"',
  ],
  [
    /\bwhat (?:lies|lie|stands?|comes?|goes|is there|was there|runs?|waits?|follows)\b/i,
    'say the noun instead of "what ..."',
  ],
  [/\b(?:lies|lie|lying) (?:before|behind|there|about|in step)\b/i, 'say where it is: "in front of", "before"'],
  [/\bnot there\b|\bthat (?:is|are) there\b/i, 'missing, absent, available or existing'],
  [/\bas ever\b|\bas ever before\b/i, 'drop it, or "unchanged"'],
  [/\bon (?:its|their) way\b/i, 'in flight'],
  [/\b(?:tells?|told|telling)\b/i, 'report, show, print or distinguish'],
  [/\brais(?:e|es|ed|ing)\b/i, 'convert (a node), throw (an error) or increase (a limit)'],
  [/\bkept\b/i, 'cached, stored or held'],
  [/\bof which\b/i, 'start a new sentence that names the noun'],
  [/\b(?:he|him|his|himself)\b/i, 'you, the user, the caller, or it'],
  [
    /\b(?:colour|behaviour|neighbour|favour|honour|normalis|optimis|serialis|initialis|recognis|summaris)\w*/i,
    'American spelling',
  ],
  [/\blikewise\b/i, 'repeat the verb, or "also"'],
  [/\b(?:nobody|anybody|somebody|everybody)\b/i, 'name who: "no caller", "any thread"'],
  [/\bdear(?:er|est)?\b/i, 'expensive'],
  [/\bsooner (?:there|from|on)\b/i, 'faster from N rows'],
  [/\bfor the time being\b/i, 'until ..., or "temporarily"'],
  [/\bworth (?:it|the way|while)\b/i, 'say what is compared: "if it saves time"'],
  [/\bthe (?:former|latter)\b/i, 'repeat the noun'],
  [/\bturns? away\b|\bturned away\b/i, 'reject'],
  [/\blets? go of\b|\bgives? back\b|\bgave back\b/i, 'release or free'],
  [/\bat the door\b|\bin vain\b|\bso to speak\b|\bunder their hands\b/i, 'no figures of speech'],
];

/** The maximal width of a line in comments and Markdown. */
export const WIDTH = 100;
