// Written by scripts/gen-unicode-tables.mjs; do not edit.
/** Unicode version of the tables. */
export const UNICODE_TABLES_UNICODE = '17.0';

/** Code points with a canonical combining class: first, last, first, last, ... As `packedNumbers` reads them. */
export const combiningRanges = `
lc n7 n9 ni nk of w3 w7 13l 14t 14v 14v 14x 14y 150 151 153 153 174 17e 18r 19b 19s 19s 1cm 1cs 1cv 1d0 1d3
1d4 1d6 1d9 1e9 1e9 1f4 1fu 1kb 1kj 1kt 1kt 1li 1ll 1ln 1lv 1lx 1lz 1m1 1m5 1nd 1nf 1p3 1pb 1qi 1r5 1r7 1rz
1to 1to 1u5 1u5 1u9 1uc 1x8 1x8 1xp 1xp 1z2 1z2 20s 20s 219 219 24c 24c 24t 24t 27w 27w 28d 28d 2bx 2bx 2f0
2f0 2fh 2fh 2fp 2fq 2ik 2ik 2j1 2j1 2m3 2m4 2ml 2ml 2q2 2q2 2t4 2t6 2tk 2tn 2wo 2wq 2x4 2x7 2zc 2zd 305 305
307 307 309 309 31t 31u 31w 31w 322 325 328 328 32a 32c 32e 32f 346 346 37b 37b 37d 37e 39p 39p 3tp 3tr 4k4
4k5 4l0 4l0 4pe 4pe 4pp 4pp 4vd 4vd 4zd 4zf 55j 55k 57k 57k 585 58c 58f 58f 59s 5a5 5a7 5b1 5b4 5bf 5dg 5dg
5dw 5dw 5ez 5f7 5gq 5gr 5ie 5ie 5iq 5ir 5kn 5kn 5ow 5oy 5p0 5pc 5pe 5pk 5pp 5pp 5pw 5pw 5q0 5q1 5vk 5xb 6hc
6ho 6ht 6ht 6hx 6i8 8vj 8vl 8zj 8zj 928 933 9ii 9in 9ll 9lm wvj wvj wvo wvx wwu wwv wz4 wz5 x6u x6u x7w x7w
xc4 xc4 xcw xdd xez xf1 xg3 xg3 xir xir xj4 xj4 xps xps xpu xpw xpz xq0 xq6 xq7 xq9 xq9 xrq xrq xyl xyl 1dlq
1dlq 1e74 1e7j 1eyl 1eyl 1f4w 1f4w 1f92 1f96 1gjx 1gjx 1gjz 1gjz 1gl4 1gl6 1glb 1glb 1gpx 1gpy 1h5w 1h5z 1h7t
1h7x 1hgr 1hgs 1hiy 1hiz 1hj1 1hj3 1hl2 1hlc 1hmq 1hmt 1hs6 1hs6 1htc 1htc 1htr 1htr 1hvd 1hve 1hxc 1hxe 1hyr
1hys 1i0j 1i0j 1i2o 1i2o 1i2y 1i2y 1i5x 1i5y 1iax 1iay 1id7 1id8 1idp 1idp 1iee 1iek 1ieo 1ies 1iha 1ihc 1iki
1iki 1ikm 1ikm 1ila 1ila 1io2 1io3 1iv3 1iv4 1iyn 1iyn 1j1y 1j1z 1j57 1j57 1jcp 1jcq 1jjx 1jjy 1jk3 1jk3 1jog
1jog 1jqs 1jqs 1jrb 1jrb 1jtl 1jtl 1k5b 1k5b 1kci 1kci 1kck 1kcl 1kev 1kev 1kqp 1kqq 1xrj 1xrj 1zow 1zp0 1zqo
1zqu 20og 20oh 2ftq 2ftq 2jxh 2jxl 2jxp 2jxu 2jy3 2jya 2jyd 2jyj 2jze 2jzh 2k3m 2k3o 2mtc 2mti 2mtk 2mu0 2mu3
2mu9 2mub 2muc 2mue 2mui 2mxb 2mxb 2n1s 2n1y 2nce 2nce 2ne4 2ne7 2nsc 2nsf 2nzi 2nzj 2o6b 2o6b 2o6e 2o6e 2o6m
2o6n 2o6t 2o6t 2ok0 2ok6 2on8 2one
`;

/** Runs of code points that NFKD without combining marks replaces by one other code point, except Hangul: first, count, step, delta. As `packedNumbers` reads them. */
export const strippedRuns = `
4g 1 1 -3k 4o 1 1 -3s 4q 1 1 -21 4v 1 1 -3z 4y 2 1 -3k 50 1 1 -44 51 1 1 lj 54 1 1 -48 55 1 1 -3s 56 1 1 -23
5c 1 1 -3j 5d 1 1 -3k 5e 1 1 -3l 5f 1 1 -3m 5g 1 1 -3n 5h 2 2 -3o 5k 1 1 -3n 5l 1 1 -3o 5m 1 1 -3p 5n 1 1 -3q
5o 1 1 -3n 5p 1 1 -3o 5q 1 1 -3p 5r 1 1 -3q 5t 2 1 -3n 5v 1 1 -3o 5w 1 1 -3p 5x 1 1 -3q 5y 1 1 -3r 61 1 1 -3o
62 1 1 -3p 63 1 1 -3q 64 1 1 -3r 65 1 1 -3o 68 1 1 -3j 69 1 1 -3k 6a 1 1 -3l 6b 1 1 -3m 6c 1 1 -3n 6d 2 2 -3o
6g 1 1 -3n 6h 1 1 -3o 6i 1 1 -3p 6j 1 1 -3q 6k 1 1 -3n 6l 1 1 -3o 6m 1 1 -3p 6n 1 1 -3q 6p 2 1 -3n 6r 1 1 -3o
6s 1 1 -3p 6t 1 1 -3q 6u 1 1 -3r 6x 1 1 -3o 6y 1 1 -3p 6z 1 1 -3q 70 1 1 -3r 71 1 1 -3o 73 1 1 -3q 74 1 1 -5b
75 1 1 -4g 76 1 1 -5d 77 1 1 -4i 78 1 1 -5f 79 1 1 -4k 7a 1 1 -5f 7b 1 1 -4k 7c 1 1 -5h 7d 1 1 -4m 7e 1 1 -5j
7f 1 1 -4o 7g 1 1 -5l 7h 1 1 -4q 7i 1 1 -5m 7j 1 1 -4r 7m 1 1 -5p 7n 1 1 -4u 7o 1 1 -5r 7p 1 1 -4w 7q 1 1 -5t
7r 1 1 -4y 7s 1 1 -5v 7t 1 1 -50 7u 1 1 -5x 7v 1 1 -52 7w 1 1 -5x 7x 1 1 -52 7y 1 1 -5z 7z 1 1 -54 80 1 1 -61
81 1 1 -56 82 1 1 -63 83 1 1 -58 84 1 1 -64 85 1 1 -59 88 1 1 -67 89 1 1 -5c 8a 1 1 -69 8b 1 1 -5e 8c 1 1 -6b
8d 1 1 -5g 8e 1 1 -6d 8f 1 1 -5i 8g 1 1 -6f 8k 1 1 -6i 8l 1 1 -5n 8m 1 1 -6j 8n 1 1 -5o 8p 1 1 -6l 8q 1 1 -5q
8r 1 1 -6n 8s 1 1 -5s 8t 1 1 -6p 8u 1 1 -5u 8z 1 1 -6t 90 1 1 -5y 91 1 1 -6v 92 1 1 -60 93 1 1 -6x 94 1 1 -62
98 1 1 -71 99 1 1 -66 9a 1 1 -73 9b 1 1 -68 9c 1 1 -75 9d 1 1 -6a 9g 1 1 -76 9h 1 1 -6b 9i 1 1 -78 9j 1 1 -6d
9k 1 1 -7a 9l 1 1 -6f 9m 1 1 -7b 9n 1 1 -6g 9o 1 1 -7d 9p 1 1 -6i 9q 1 1 -7f 9r 1 1 -6k 9s 1 1 -7h 9t 1 1 -6m
9u 1 1 -7i 9v 1 1 -6n 9w 1 1 -7k 9x 1 1 -6p a0 1 1 -7n a1 1 1 -6s a2 1 1 -7p a3 1 1 -6u a4 1 1 -7r a5 1 1 -6w
a6 1 1 -7t a7 1 1 -6y a8 1 1 -7v a9 1 1 -70 aa 1 1 -7x ab 1 1 -72 ac 1 1 -7x ad 1 1 -72 ae 1 1 -7x af 1 1 -72
ag 2 1 -7z ai 1 1 -74 aj 1 1 -81 ak 1 1 -76 al 1 1 -83 am 1 1 -78 an 1 1 -7g bk 1 1 -9d bl 1 1 -8i bz 1 1 -9m
c0 1 1 -8r ct 1 1 -b0 cu 1 1 -a5 cv 1 1 -au cw 1 1 -9z cx 1 1 -aq cy 1 1 -9v cz 1 1 -am d0 1 1 -9r d1 1 1 -ao
d2 1 1 -9t d3 1 1 -aq d4 1 1 -9v d5 1 1 -as d6 1 1 -9x d7 1 1 -au d8 1 1 -9z da 1 1 -bh db 1 1 -am dc 1 1 -bj
dd 1 1 -ao de 1 1 -7w df 1 1 -71 di 1 1 -bj dj 1 1 -ao dk 1 1 -bh dl 1 1 -am dm 1 1 -bf dn 1 1 -ak do 1 1 -bh
dp 1 1 -am dq 1 1 -1j dr 1 1 4j ds 1 1 -au dw 1 1 -bx dx 1 1 -b2 e0 1 1 -bu e1 1 1 -az e2 1 1 -c9 e3 1 1 -be
e4 1 1 -8m e5 1 1 -7r e6 1 1 -86 e7 1 1 -7b e8 1 1 -cf e9 1 1 -bk ea 1 1 -ch eb 1 1 -bm ec 1 1 -cf ed 1 1 -bk
ee 1 1 -ch ef 1 1 -bm eg 1 1 -cf eh 1 1 -bk ei 1 1 -ch ej 1 1 -bm ek 1 1 -cd el 1 1 -bi em 1 1 -cf en 1 1 -bk
eo 1 1 -ce ep 1 1 -bj eq 1 1 -cg er 1 1 -bl es 1 1 -cf et 1 1 -bk eu 1 1 -ch ev 1 1 -bm ew 1 1 -cl ex 1 1 -bq
ey 1 1 -cm ez 1 1 -br f2 1 1 -d2 f3 1 1 -c7 fa 1 1 -dh fb 1 1 -cm fc 1 1 -df fd 1 1 -ck fe 1 1 -d7 ff 1 1 -cc
fg 1 1 -d9 fh 1 1 -ce fi 1 1 -db fj 1 1 -cg fk 1 1 -dd fl 1 1 -ci fm 1 1 -d5 fn 1 1 -ca j4 1 1 -g8 j5 1 1 -23
j6 1 1 -g8 j7 1 1 -g1 j8 1 1 -1n j9 1 1 -1m ja 1 1 -1h jb 1 1 -g0 jc 1 1 -fz k8 1 1 -jc k9 1 1 -jd ka 1 1 -je
kb 1 1 -jf kc 1 1 -jg kd 1 1 -jh kg 1 1 -3h kh 1 1 -hh ki 1 1 -hb kj 1 1 -h7 kk 1 1 -27 ok 1 1 -57 oq 1 1 -nu
ou 1 1 -n7 p0 1 1 -o4 p1 1 1 -o5 p2 1 1 b p3 1 1 -k0 p4 1 1 d p5 1 1 e p6 1 1 f p8 1 1 j pa 1 1 n pb 1 1 q pc
1 1 15 q2 1 1 -h q3 1 1 -6 q4 1 1 5 q5 1 1 8 q6 1 1 9 q7 1 1 a q8 1 1 l qy 1 1 -h qz 1 1 -6 r0 1 1 -d r1 1 1
-8 r2 1 1 -5 r4 1 1 -u r5 1 1 -p r6 1 1 -19 r7 1 1 -1a r8 1 1 -1b r9 1 1 -f ra 1 1 -m s0 1 1 -1i s1 2 1 -1c s4
1 1 -2k s5 1 1 -1s s9 1 1 -2e sg 1 1 l sh 1 1 k sj 1 1 g sn 1 1 -1 ss 1 1 e st 1 1 b su 1 1 l t5 1 1 -1 u1 1 1
-1 uo 1 1 -r up 1 1 -s ur 1 1 -w uv 1 1 -1 v0 1 1 -y v1 1 1 -11 v2 1 1 -r vq 2 1 -2 xt 1 1 -4r xu 1 1 -3w y8 1
1 -5c y9 1 1 -4h ya 1 1 -5e yb 1 1 -4j ye 1 1 -5d yf 1 1 -4i yi 2 1 -2 yk 1 1 -5i yl 1 1 -4n ym 1 1 -5j yn 1 1
-4o yq 1 1 -5m yr 1 1 -4r ys 1 1 -5o yt 1 1 -4t yu 1 1 -5k yv 1 1 -4p yy 2 1 -2 z0 1 1 -5b z1 1 1 -4g z2 1 1
-5n z3 1 1 -4s z4 1 1 -5p z5 1 1 -4u z6 1 1 -5r z7 1 1 -4w z8 1 1 -5p z9 1 1 -4u zc 1 1 -5p zd 1 1 -4u 17m 1 1
5 17n 1 1 4 17o 1 1 10 17p 1 1 2 17q 1 1 10 1c0 1 1 l 1c2 1 1 -1 1cj 1 1 -1 1t5 1 1 -1 1td 1 1 -1 1tg 1 1 -1
1ug 3 1 -1v 1uj 1 1 -1r 1uk 2 1 -1n 1um 1 1 -1f 1un 1 1 -1c 1y4 2 1 -1n 1y7 1 1 -1c 20j 1 1 -1 20m 1 1 2 21l 2
1 -1v 21n 1 1 -1r 21q 1 1 -1f 28s 2 1 -1n 2fc 1 1 -2 2qi 1 1 -1 2z0 1 1 -1 31y 1 1 1o 31z 2 1 1n 321 1 1 1m
3cs 1 1 -w 5rg 1 1 -5pn 5rh 1 1 -5lz 5ri 2 2 -5po 5rl 1 1 -5po 5rm 1 1 -5gk 5rn 8 1 -5po 5rw 1 1 -5pp 5rx 1 1
-5cr 5ry 1 1 -5pq 5rz 1 1 -5pp 5s0 2 1 -5po 5s2 1 1 -5pn 5s3 1 1 -5pe 5s4 2 1 -5bo 5s6 1 1 -1w 5s7 1 1 -5ph
5s8 2 1 -5pg 5sa 1 1 -5bl 5sb 2 1 -5bk 5sd 1 1 -5pi 5sf 1 1 -5pg 5sg 1 1 -5pf 5sh 1 1 -5ja 5si 1 1 -5pf 5sj 1
1 -5bz 5sk 2 1 -1q 5sm 1 1 -5pi 5sn 2 1 -5pf 5sp 1 1 -1o 5sq 1 1 -5bf 5sr 1 1 -5ph 5ss 1 1 -1j 5st 3 1 -52j
5sw 2 1 -522 5sy 1 1 -5q1 5sz 1 1 -5pt 5t0 2 1 -5pr 5t2 2 1 -52s 5t4 1 1 -52f 5t5 2 1 -52b 5tk 1 1 -4zf 5uj 1
1 -5e1 5uk 1 1 -5rt 5ul 1 1 -5e0 5um 1 1 -5ny 5un 1 1 -5dv 5uo 1 1 -5ru 5up 1 1 -5du 5uq 1 1 -5dt 5ur 1 1 -5dq
5us 3 1 -5do 5uv 1 1 -18 5uw 1 1 -5cb 5ux 1 1 -5do 5uy 1 1 -11 5uz 1 1 -5cc 5v0 1 1 -5dn 5v1 1 1 -5dp 5v2 4 1
-5do 5v6 1 1 -5dm 5v7 2 1 -5dd 5v9 1 1 -5je 5va 2 1 -5d9 5vc 1 1 -4c 5vd 2 1 -5da 5vf 1 1 -5s1 5vg 3 1 -5d8
5vj 1 1 -553 5xc 1 1 -5vj 5xd 1 1 -5uo 5xe 1 1 -5vk 5xf 1 1 -5up 5xg 1 1 -5vm 5xh 1 1 -5ur 5xi 1 1 -5vo 5xj 1
1 -5ut 5xk 1 1 -5vp 5xl 1 1 -5uu 5xm 1 1 -5vq 5xn 1 1 -5uv 5xo 1 1 -5vs 5xp 1 1 -5ux 5xq 1 1 -5vu 5xr 1 1 -5uz
5xs 1 1 -5vw 5xt 1 1 -5v1 5xu 1 1 -5vy 5xv 1 1 -5v3 5xw 1 1 -5vz 5xx 1 1 -5v4 5xy 1 1 -5w1 5xz 1 1 -5v6 5y0 1
1 -5w3 5y1 1 1 -5v8 5y2 1 1 -5w5 5y3 1 1 -5va 5y4 1 1 -5w7 5y5 1 1 -5vc 5y6 1 1 -5w8 5y7 1 1 -5vd 5y8 1 1 -5w9
5y9 1 1 -5ve 5ya 1 1 -5wa 5yb 1 1 -5vf 5yc 1 1 -5wc 5yd 1 1 -5vh 5ye 1 1 -5we 5yf 1 1 -5vj 5yg 1 1 -5wg 5yh 1
1 -5vl 5yi 1 1 -5wi 5yj 1 1 -5vn 5yk 1 1 -5wj 5yl 1 1 -5vo 5ym 1 1 -5wl 5yn 1 1 -5vq 5yo 1 1 -5wl 5yp 1 1 -5vq
5yq 1 1 -5wn 5yr 1 1 -5vs 5ys 1 1 -5wp 5yt 1 1 -5vu 5yu 1 1 -5wq 5yv 1 1 -5vv 5yw 1 1 -5ws 5yx 1 1 -5vx 5yy 1
1 -5wu 5yz 1 1 -5vz 5z0 1 1 -5ww 5z1 1 1 -5w1 5z2 1 1 -5wx 5z3 1 1 -5w2 5z4 1 1 -5wz 5z5 1 1 -5w4 5z6 1 1 -5x1
5z7 1 1 -5w6 5z8 1 1 -5x2 5z9 1 1 -5w7 5za 1 1 -5x4 5zb 1 1 -5w9 5zc 1 1 -5x6 5zd 1 1 -5wb 5ze 1 1 -5x8 5zf 1
1 -5wd 5zg 1 1 -5x9 5zh 1 1 -5we 5zi 1 1 -5xb 5zj 1 1 -5wg 5zk 1 1 -5xd 5zl 1 1 -5wi 5zm 1 1 -5xf 5zn 1 1 -5wk
5zo 1 1 -5xg 5zp 1 1 -5wl 5zq 1 1 -5xi 5zr 1 1 -5wn 5zs 1 1 -5xi 5zt 1 1 -5wn 5zu 1 1 -5xk 5zv 1 1 -5wp 5zw 1
1 -5xm 5zx 1 1 -5wr 5zy 1 1 -5xo 5zz 1 1 -5wt 600 1 1 -5xp 601 1 1 -5wu 602 1 1 -5xr 603 1 1 -5ww 604 1 1 -5xt
605 1 1 -5wy 606 1 1 -5xv 607 1 1 -5x0 608 1 1 -5xx 609 1 1 -5x2 60a 1 1 -5xy 60b 1 1 -5x3 60c 1 1 -5y0 60d 1
1 -5x5 60e 1 1 -5y2 60f 1 1 -5x7 60g 1 1 -5y4 60h 1 1 -5x9 60i 1 1 -5y5 60j 1 1 -5xa 60k 1 1 -5y7 60l 1 1 -5xc
60m 1 1 -5y9 60n 1 1 -5xe 60o 1 1 -5yb 60p 1 1 -5xg 60q 1 1 -5yd 60r 1 1 -5xi 60s 1 1 -5ye 60t 1 1 -5xj 60u 1
1 -5yg 60v 1 1 -5xl 60w 1 1 -5yh 60x 1 1 -5xm 60y 1 1 -5yj 60z 1 1 -5xo 610 1 1 -5yl 611 1 1 -5xq 612 1 1 -5yn
613 1 1 -5xs 614 1 1 -5yp 615 1 1 -5xu 616 1 1 -5yq 617 1 1 -5xv 618 1 1 -5ys 619 1 1 -5xx 61a 1 1 -5yt 61b 1
1 -5xy 61c 1 1 -5yu 61d 1 1 -5xz 61e 1 1 -5yw 61f 1 1 -5y1 61g 1 1 -5yy 61h 1 1 -5y3 61i 1 1 -5ym 61j 1 1 -5yb
61k 1 1 -5y9 61l 1 1 -5y8 61n 1 1 -5yg 61s 1 1 -5zz 61t 1 1 -5z4 61u 1 1 -601 61v 1 1 -5z6 61w 1 1 -603 61x 1
1 -5z8 61y 1 1 -605 61z 1 1 -5za 620 1 1 -607 621 1 1 -5zc 622 1 1 -609 623 1 1 -5ze 624 1 1 -60b 625 1 1 -5zg
626 1 1 -60d 627 1 1 -5zi 628 1 1 -60f 629 1 1 -5zk 62a 1 1 -60h 62b 1 1 -5zm 62c 1 1 -60j 62d 1 1 -5zo 62e 1
1 -60l 62f 1 1 -5zq 62g 1 1 -60j 62h 1 1 -5zo 62i 1 1 -60l 62j 1 1 -5zq 62k 1 1 -60n 62l 1 1 -5zs 62m 1 1 -60p
62n 1 1 -5zu 62o 1 1 -60r 62p 1 1 -5zw 62q 1 1 -60t 62r 1 1 -5zy 62s 1 1 -60v 62t 1 1 -600 62u 1 1 -60x 62v 1
1 -602 62w 1 1 -60v 62x 1 1 -600 62y 1 1 -60x 62z 1 1 -602 630 1 1 -60t 631 1 1 -5zy 632 1 1 -60v 633 1 1 -600
634 1 1 -60x 635 1 1 -602 636 1 1 -60z 637 1 1 -604 638 1 1 -611 639 1 1 -606 63a 1 1 -613 63b 1 1 -608 63c 1
1 -615 63d 1 1 -60a 63e 1 1 -617 63f 1 1 -60c 63g 1 1 -619 63h 1 1 -60e 63i 1 1 -61b 63j 1 1 -60g 63k 1 1 -61d
63l 1 1 -60i 63m 1 1 -61f 63n 1 1 -60k 63o 1 1 -61b 63p 1 1 -60g 63q 1 1 -61d 63r 1 1 -60i 63s 1 1 -61f 63t 1
1 -60k 63u 1 1 -61h 63v 1 1 -60m 63w 1 1 -61j 63x 1 1 -60o 63y 1 1 -61l 63z 1 1 -60q 640 1 1 -61n 641 1 1 -60s
642 1 1 -61l 643 1 1 -60q 644 1 1 -61n 645 1 1 -60s 646 1 1 -61p 647 1 1 -60u 648 1 1 -61r 649 1 1 -60w 64g 1
1 -5e7 64h 1 1 -5e8 64i 1 1 -5e9 64j 1 1 -5ea 64k 1 1 -5eb 64l 1 1 -5ec 64m 1 1 -5ed 64n 1 1 -5ee 64o 1 1 -5fb
64p 1 1 -5fc 64q 1 1 -5fd 64r 1 1 -5fe 64s 1 1 -5ff 64t 1 1 -5fg 64u 1 1 -5fh 64v 1 1 -5fi 64w 1 1 -5ej 64x 1
1 -5ek 64y 1 1 -5el 64z 1 1 -5em 650 1 1 -5en 651 1 1 -5eo 654 1 1 -5fn 655 1 1 -5fo 656 1 1 -5fp 657 1 1 -5fq
658 1 1 -5fr 659 1 1 -5fs 65c 1 1 -5ex 65d 1 1 -5ey 65e 1 1 -5ez 65f 1 1 -5f0 65g 1 1 -5f1 65h 1 1 -5f2 65i 1
1 -5f3 65j 1 1 -5f4 65k 1 1 -5g1 65l 1 1 -5g2 65m 1 1 -5g3 65n 1 1 -5g4 65o 1 1 -5g5 65p 1 1 -5g6 65q 1 1 -5g7
65r 1 1 -5g8 65s 1 1 -5fb 65t 1 1 -5fc 65u 1 1 -5fd 65v 1 1 -5fe 65w 1 1 -5ff 65x 1 1 -5fg 65y 1 1 -5fh 65z 1
1 -5fi 660 1 1 -5gf 661 1 1 -5gg 662 1 1 -5gh 663 1 1 -5gi 664 1 1 -5gj 665 1 1 -5gk 666 1 1 -5gl 667 1 1 -5gm
668 1 1 -5fl 669 1 1 -5fm 66a 1 1 -5fn 66b 1 1 -5fo 66c 1 1 -5fp 66d 1 1 -5fq 66g 1 1 -5gp 66h 1 1 -5gq 66i 1
1 -5gr 66j 1 1 -5gs 66k 1 1 -5gt 66l 1 1 -5gu 66o 1 1 -5fv 66p 1 1 -5fw 66q 1 1 -5fx 66r 1 1 -5fy 66s 1 1 -5fz
66t 1 1 -5g0 66u 1 1 -5g1 66v 1 1 -5g2 66x 1 1 -5h0 66z 1 1 -5h2 671 1 1 -5h4 673 1 1 -5h6 674 1 1 -5g7 675 1
1 -5g8 676 1 1 -5g9 677 1 1 -5ga 678 1 1 -5gb 679 1 1 -5gc 67a 1 1 -5gd 67b 1 1 -5ge 67c 1 1 -5hb 67d 1 1 -5hc
67e 1 1 -5hd 67f 1 1 -5he 67g 1 1 -5hf 67h 1 1 -5hg 67i 1 1 -5hh 67j 1 1 -5hi 67k 1 1 -5hb 67l 1 1 -5hc 67m 1
1 -5h9 67n 1 1 -5ha 67o 1 1 -5h9 67p 1 1 -5ha 67q 1 1 -5h9 67r 1 1 -5ha 67s 1 1 -5h5 67t 1 1 -5h6 67u 1 1 -5h1
67v 1 1 -5h2 67w 1 1 -5gz 67x 1 1 -5h0 680 1 1 -5hr 681 1 1 -5hs 682 1 1 -5ht 683 1 1 -5hu 684 1 1 -5hv 685 1
1 -5hw 686 1 1 -5hx 687 1 1 -5hy 688 1 1 -5iv 689 1 1 -5iw 68a 1 1 -5ix 68b 1 1 -5iy 68c 1 1 -5iz 68d 1 1 -5j0
68e 1 1 -5j1 68f 1 1 -5j2 68g 1 1 -5i1 68h 1 1 -5i2 68i 1 1 -5i3 68j 1 1 -5i4 68k 1 1 -5i5 68l 1 1 -5i6 68m 1
1 -5i7 68n 1 1 -5i8 68o 1 1 -5j5 68p 1 1 -5j6 68q 1 1 -5j7 68r 1 1 -5j8 68s 1 1 -5j9 68t 1 1 -5ja 68u 1 1 -5jb
68v 1 1 -5jc 68w 1 1 -5hz 68x 1 1 -5i0 68y 1 1 -5i1 68z 1 1 -5i2 690 1 1 -5i3 691 1 1 -5i4 692 1 1 -5i5 693 1
1 -5i6 694 1 1 -5j3 695 1 1 -5j4 696 1 1 -5j5 697 1 1 -5j6 698 1 1 -5j7 699 1 1 -5j8 69a 1 1 -5j9 69b 1 1 -5ja
69c 1 1 -5j3 69d 1 1 -5j4 69e 1 1 -5j5 69f 1 1 -5j6 69g 1 1 -5j7 69i 1 1 -5j9 69j 1 1 -5ja 69k 1 1 -5k7 69l 1
1 -5k8 69m 1 1 -5k9 69n 1 1 -5ka 69o 1 1 -5kb 69p 1 1 -68t 69q 1 1 -5j9 69r 1 1 -68v 69s 1 1 -68w 69t 1 1 -68x
69u 1 1 -5jf 69v 1 1 -5jg 69w 1 1 -5jh 69y 1 1 -5jj 69z 1 1 -5jk 6a0 1 1 -5kj 6a1 1 1 -5kk 6a2 1 1 -5kj 6a3 1
1 -5kk 6a4 1 1 -5kl 6a5 1 1 -699 6a6 1 1 -69a 6a7 1 1 -69b 6a8 1 1 -5jr 6a9 1 1 -5js 6aa 1 1 -5jt 6ab 1 1 -5ju
6ae 1 1 -5jx 6af 1 1 -5jy 6ag 1 1 -5kv 6ah 1 1 -5kw 6ai 1 1 -5kx 6aj 1 1 -5ky 6al 1 1 -69p 6am 1 1 -69q 6an 1
1 -69r 6ao 1 1 -5jv 6ap 1 1 -5jw 6aq 1 1 -5jx 6ar 1 1 -5jy 6as 1 1 -5k3 6at 1 1 -5k4 6au 1 1 -5k1 6av 1 1 -5k2
6aw 1 1 -5kz 6ax 1 1 -5l0 6ay 1 1 -5l1 6az 1 1 -5l2 6b0 1 1 -5l7 6b1 1 1 -6a5 6b2 1 1 -6a6 6b3 1 1 -68f 6b6 1
1 -5k9 6b7 1 1 -5ka 6b8 1 1 -5kb 6ba 1 1 -5kd 6bb 1 1 -5ke 6bc 1 1 -5ll 6bd 1 1 -5lm 6be 1 1 -5ld 6bf 1 1 -5le
6bg 1 1 -5lf 6bh 1 1 -6al 6bi 1 1 -6am 6bk 1 1 -6ao 6bl 1 1 -6ap 6bm 1 1 -6aq 6bn 1 1 -6ar 6bo 1 1 -6as 6bp 1
1 -6at 6bq 1 1 -6au 6br 1 1 -6av 6bs 1 1 -6aw 6bt 1 1 -6ax 6bu 1 1 -6ay 6c1 1 1 -1 6c7 1 1 -6bb 6ck 1 1 -6ba
6cv 1 1 -6bz 6da 1 1 -6ce 6e7 1 1 -6db 6eo 1 1 -6dc 6ep 1 1 -6bs 6es 6 1 -6dc 6ey 1 1 -6dr 6ez 1 1 bb 6f0 1 1
-6db 6f1 2 1 -6dx 6f3 1 1 -6c1 6f4 a 1 -6ds 6fe 1 1 -6e7 6ff 1 1 av 6fg 1 1 -6dr 6fh 2 1 -6ed 6fk 1 1 -6cv 6fl
1 1 -6cs 6fm 1 1 -6cj 6fn 1 1 -6cb 6fo 1 1 -5yz 6fp 1 1 -6ct 6fq 4 1 -6cr 6fu 1 1 -6cq 6fv 2 1 -6co 6iq 1 1
-6gv 6iv 1 1 -67r 6iy 1 1 -6g3 6iz 1 1 -6gz 6j0 1 1 -6h0 6j1 1 1 -6h1 6j2 1 1 -6g6 6j3 1 1 -6aw 6j4 1 1 -6h3
6j5 1 1 -6h4 6j6 1 1 -6h2 6j7 1 1 -6g7 6j9 1 1 -6h3 6jd 3 1 -6h5 6jg 1 1 -6h6 6jh 1 1 -6h7 6jo 1 1 -6h6 6jq 1
1 -5tp 6js 1 1 -6ha 6ju 1 1 -6hr 6jv 3 1 -6i2 6jz 1 1 -6h6 6k0 2 1 -6i3 6k3 1 1 -6hy 6k4 1 1 -6h1 6k5 4 1 -5et
6k9 1 1 -6hc 6kc 1 1 -5to 6kd 1 1 -5u2 6ke 1 1 -5uz 6kf 1 1 -5un 6kg 1 1 5t 6kl 1 1 -6ip 6km 2 1 -6hu 6ko 2 1
-6hr 6lc 1 1 -6jb 6lg 1 1 -6j2 6ll 1 1 -6j5 6lo 1 1 -6jk 6lp 2 1 -6ju 6lr 1 1 -6jm 6ls 1 1 -6iv 6lw 1 1 -6im
6m1 1 1 -6ip 6m4 1 1 -6j4 6m5 2 1 -6je 6m7 1 1 -6j6 6my 1 1 -a 6mz 1 1 -9 6ni 1 1 -q 6od 1 1 3 6oe 1 1 6 6of 1
1 3 6pw 1 1 -1 6q1 1 1 -1 6q4 1 1 -1 6qs 2 2 -1 6rl 1 1 -5 6ro 1 1 -1 6rr 1 1 -2 6rt 1 1 -1 6sg 1 1 -6qr 6si 1
1 -1 6st 1 1 -w 6su 1 1 -6r6 6sv 1 1 -6r5 6sw 2 1 -c 6t0 2 1 -2 6t4 2 1 -2 6tc 2 1 -6 6tg 2 1 -2 6tk 2 1 -2
6uk 1 1 -a 6ul 2 1 -5 6un 1 1 -4 6w0 2 1 -2s 6w2 2 1 -29 6wa 4 1 -1k 6y1 2 1 2jj 76o 9 1 -75b 792 q 1 -779 79s
q 1 -773 7ai 1 1 -796 8gs 1 1 1 8sc 1 1 -8pe 8sd 1 1 -8pz 8z3 1 1 -e 97j 1 1 c32 99v 1 1 m98 9a8 1 1 64g 9a9 1
1 65j 9aa 1 1 65w 9ab 1 1 664 9ac 1 1 66t 9ad 1 1 680 9ae 1 1 686 9af 1 1 68p 9ag 1 1 69e 9ah 1 1 6ra 9ai 1 1
6sb 9aj 1 1 6sg 9ak 1 1 6t2 9al 1 1 6tl 9am 1 1 6u5 9an 1 1 6vl 9ao 1 1 6w5 9ap 1 1 6wf 9aq 1 1 70p 9ar 1 1
73a 9as 1 1 741 9at 1 1 745 9au 1 1 74y 9av 1 1 756 9aw 1 1 75w 9ax 1 1 768 9ay 1 1 76w 9az 1 1 78b 9b0 1 1
78s 9b1 1 1 79i 9b2 1 1 7uh 9b3 1 1 7wg 9b4 1 1 897 9b5 1 1 89t 9b6 1 1 8a0 9b7 1 1 8aa 9b8 1 1 8ar 9b9 1 1
8cu 9ba 1 1 8q2 9bb 1 1 8rd 9bc 1 1 8uo 9bd 1 1 8va 9be 1 1 8vs 9bf 1 1 8wd 9bg 1 1 8xu 9bh 1 1 8xw 9bi 1 1
97x 9bj 1 1 986 9bk 1 1 98h 9bl 1 1 98t 9bm 1 1 9c0 9bn 1 1 9c7 9bo 1 1 9cb 9bp 1 1 9fj 9bq 1 1 9fs 9br 1 1
9g4 9bs 1 1 9gb 9bt 1 1 9hz 9bu 1 1 9if 9bv 1 1 9iw 9bw 1 1 9l3 9bx 1 1 a17 9by 1 1 a2g 9bz 1 1 a30 9c0 1 1
anj 9c1 1 1 ann 9c2 1 1 apx 9c3 1 1 aqc 9c4 1 1 aqo 9c5 1 1 ar8 9c6 1 1 asa 9c7 1 1 ase 9c8 1 1 azs 9c9 1 1
b0f 9ca 1 1 b1a 9cb 1 1 bth 9cc 1 1 bva 9cd 1 1 bvw 9ce 1 1 bxh 9cf 1 1 by4 9cg 1 1 byc 9ch 1 1 byi 9ci 1 1
bzx 9cj 1 1 c01 9ck 1 1 c0w 9cl 1 1 cuu 9cm 1 1 d78 9cn 1 1 d7j 9co 1 1 d7n 9cp 1 1 d7q 9cq 1 1 d7x 9cr 1 1
d8e 9cs 1 1 d8f 9ct 1 1 dan 9cu 1 1 dgm 9cv 1 1 dgq 9cw 1 1 dq4 9cx 1 1 dqd 9cy 1 1 drq 9cz 1 1 drw 9d0 1 1
ds4 9d1 1 1 dsb 9d2 1 1 dut 9d3 1 1 duz 9d4 1 1 e1a 9d5 1 1 e1g 9d6 1 1 e2s 9d7 1 1 e38 9d8 1 1 e4i 9d9 1 1
eb2 9da 1 1 eb8 9db 1 1 ebo 9dc 1 1 ekq 9dd 1 1 eo7 9de 1 1 eoc 9df 1 1 etd 9dg 1 1 evr 9dh 1 1 ex0 9di 1 1
f7h 9dj 1 1 fb5 9dk 1 1 fr2 9dl 1 1 frs 9dm 1 1 ftc 9dn 1 1 fuq 9do 1 1 fwl 9dp 1 1 fwv 9dq 1 1 fx0 9dr 1 1
fxw 9ds 1 1 fzz 9dt 1 1 g08 9du 1 1 g9t 9dv 1 1 g9z 9dw 1 1 ga7 9dx 1 1 gaf 9dy 1 1 gau 9dz 1 1 gb8 9e0 1 1
gbb 9e1 1 1 gdh 9e2 1 1 gdk 9e3 1 1 gdp 9e4 1 1 h4x 9e5 1 1 h5q 9e6 1 1 hiq 9e7 1 1 hj1 9e8 1 1 hjn 9e9 1 1
hrh 9ea 1 1 hrt 9eb 1 1 htr 9ec 1 1 hv0 9ed 1 1 iaq 9ee 1 1 ib4 9ef 1 1 ibi 9eg 1 1 icg 9eh 1 1 idg 9ei 1 1
iiy 9ej 1 1 ij9 9ek 1 1 il3 9el 1 1 iry 9em 1 1 iss 9en 1 1 iyk 9eo 1 1 iz4 9ep 1 1 iz8 9eq 1 1 j5b 9er 1 1
jae 9es 1 1 jdu 9et 1 1 jdz 9eu 1 1 je3 9ev 1 1 k40 9ew 1 1 k48 9ex 1 1 k8j 9ey 1 1 kcs 9ez 1 1 kcu 9f0 1 1
ke4 9f1 1 1 kh0 9f2 1 1 khc 9f3 1 1 khf 9f4 1 1 khl 9f5 1 1 kka 9f6 1 1 kl7 9f7 1 1 klc 9f8 1 1 klp 9f9 1 1
kqb 9fa 1 1 krp 9fb 1 1 krs 9fc 1 1 kwu 9fd 1 1 kww 9fe 1 1 kxe 9ff 1 1 l4d 9fg 1 1 l5o 9fh 1 1 l5u 9fi 1 1
l7r 9fj 1 1 l80 9fk 1 1 l82 9fl 1 1 l8b 9fm 1 1 l94 9fn 1 1 lk2 9fo 1 1 lv5 9fp 1 1 lve 9fq 1 1 lwf 9fr 1 1
lx0 9fs 1 1 lx7 9ft 1 1 lxg 9fu 1 1 lxj 9fv 1 1 lym 9fw 1 1 lyp 9fx 1 1 lz5 9fy 1 1 lz9 9fz 1 1 lzl 9g0 1 1
m0b 9g1 1 1 m0p 9g2 1 1 m0w 9g3 1 1 m2i 9g4 1 1 m2w 9g5 1 1 m2z 9hc 1 1 -9gg 9iu 1 1 -10 9iw 1 1 6x5 9ix 2 1
6x7 9jg c 2 -1 9k5 3 2 -1 9kg 1 1 -1 9kh 1 1 -2 9kj 1 1 -1 9kk 1 1 -2 9km 1 1 -1 9kn 1 1 -2 9kp 1 1 -1 9kq 1 1
-2 9ks 1 1 -1 9kt 1 1 -2 9lg 1 1 -26 9ln 1 1 -9kr 9lo 1 1 -9ks 9lq 1 1 -1 9m4 c 2 -1 9mt 3 2 -1 9n4 1 1 -1 9n5
1 1 -2 9n7 1 1 -1 9n8 1 1 -2 9na 1 1 -1 9nb 1 1 -2 9nd 1 1 -1 9ne 1 1 -2 9ng 1 1 -1 9nh 1 1 -2 9o4 1 1 -26 9o7
4 1 -8 9oe 1 1 -1 9pt 2 1 -6cx 9pv 1 1 -689 9pw 1 1 -6cy 9px 2 1 -689 9pz 3 1 -6d0 9q2 6 1 -68a 9q8 1 1 -6cm
9q9 3 1 -6d7 9qc 1 1 -6cj 9qd a 1 -6d8 9qn l 1 -6b2 9r8 1 1 -6bo 9r9 2 1 -6dt 9rb 2 1 -68w 9rd 1 1 -68t 9re 1
1 -68s 9rf 1 1 -68o 9rg 1 1 -68l 9rh 1 1 -68k 9ri 1 1 -6du 9rj 1 1 -68i 9rk 1 1 -68h 9rl 2 1 -6dw 9rn 1 1 -6dv
9ro 2 1 -6du 9rq 1 1 -6dr 9rr 1 1 -6dq 9rs 5 1 -6dp 9rx 1 1 -6dn 9ry 1 1 -6dk 9rz 1 1 -6db 9s0 1 1 -6d5 9s1 1
1 -6d1 9s2 2 1 -68h 9s4 3 1 -6ct 9s7 2 1 -6bn 9s9 1 1 -6bl 9sa 2 1 -6bd 9sc 1 1 -6bc 9sd 1 1 -6b3 9se 1 1 -6b1
9si 1 1 5m6 9sj 1 1 5q1 9sk 1 1 5md 9sl 1 1 7d2 9sm 1 1 5mc 9sn 1 1 5na 9so 1 1 5mb 9sp 1 1 dcp 9sq 1 1 5of
9sr 1 1 5mm 9ss 1 1 5lx 9st 1 1 7t8 9su 1 1 7f6 9sv 1 1 5qz 9xg 1 1 6x7 9xh 1 1 8qf 9xi 1 1 a4h 9xj 1 1 eh4
9y8 1 1 -6lc 9y9 2 1 -6lb 9yb 3 1 -6la 9ye 1 1 -6l9 9yf 2 1 -6l8 9yh 5 1 -6l7 9z4 1 1 5fk 9z5 1 1 5jf 9z6 1 1
5fr 9z7 1 1 76g 9z8 1 1 5jk 9z9 1 1 63s 9za 1 1 5fh 9zb 1 1 63o 9zc 1 1 5hx 9zd 1 1 6go 9ze 1 1 ada 9zf 1 1
c80 9zg 1 1 be0 9zh 1 1 ae3 9zi 1 1 itf 9zj 1 1 780 9zk 1 1 a51 9zl 1 1 al5 9zm 1 1 ad3 9zn 1 1 dyj 9zo 1 1
6m1 9zp 1 1 cmc 9zq 1 1 hsb 9zr 1 1 dza 9zs 1 1 6cc 9zt 1 1 e2n 9zu 1 1 d5p 9zv 1 1 7o8 9zw 1 1 ij1 9zx 1 1
619 9zy 1 1 6he 9zz 1 1 bih a00 1 1 k11 a01 1 1 5m8 a02 1 1 647 a03 1 1 b7k a04 1 1 5eu a05 1 1 5fs a06 1 1
5et a07 1 1 8jj a08 1 1 6kr a09 1 1 6fm a0a 1 1 831 a0b 1 1 81n a0c 1 1 dh3 a0d 1 1 5lg a0e 1 1 hsp a0f 1 1
6g5 a0g 1 1 7l8 a1c 1 1 -fi a1d 1 1 -fh a1e 1 1 -fg a1f 1 1 -ff a1g 2 1 -fe a1i 1 1 -fd a1j 1 1 -fc a1k 1 1
-fb a1l 1 1 -fa a1m 1 1 -f9 a1n 1 1 -f8 a1o 1 1 -f7 a1p 1 1 -f6 a1q 1 1 -f5 a1r 1 1 -f4 a1s 1 1 -f3 a1t 1 1
-f1 a1u 1 1 -f0 a1v 1 1 -ez a1w 6 1 -ey a22 1 1 -ew a23 1 1 -eu a24 1 1 -es a25 1 1 -eq a26 5 1 -eo a2b 1 1
-en a2c 1 1 -em a2d 6 1 -el a2j 4 1 -ek wws 1 1 -w2a wwt 1 1 -w29 x2o 1 1 -1 x69 1 1 -x3y x6a 1 1 -x4f x6b 1 1
-x4d x6c 1 1 -x43 x6g 1 1 -wya x6h 1 1 -wx2 xuk 1 1 -tx xul 1 1 -12 xum 1 1 -xdf xun 1 1 -d xux 1 1 -xcs 1d6o
1 1 -lh4 1d6p 1 1 -sul 1d6q 1 1 -kzc 1d6r 1 1 -ldn 1d6s 1 1 -rar 1d6t 1 1 -xqr 1d6u 1 1 -wm9 1d6v 1 1 -hnv
1d6w 1 1 -hnw 1d6x 1 1 -vjs 1d6y 1 1 -ke1 1d6z 1 1 -was 1d70 1 1 -vk4 1d71 1 1 -tuf 1d72 1 1 -pt1 1d73 1 1
-o0a 1d74 1 1 -moh 1d75 1 1 -mdz 1d76 1 1 -m56 1d77 1 1 -kn8 1d78 1 1 -s9e 1d79 1 1 -rne 1d7a 1 1 -qwt 1d7b 1
1 -qbd 1d7c 1 1 -n2z 1d7d 1 1 -khb 1d7e 1 1 -isp 1d7f 1 1 -xp5 1d7g 1 1 -wpz 1d7h 1 1 -s2h 1d7i 1 1 -qo3 1d7j
1 1 -mpe 1d7k 1 1 -hz6 1d7l 1 1 -us1 1d7m 1 1 -r3r 1d7n 1 1 -ms6 1d7o 1 1 -m2o 1d7p 1 1 -tp8 1d7q 1 1 -nke
1d7r 1 1 -mbs 1d7s 1 1 -uhq 1d7t 1 1 -suq 1d7u 1 1 -rls 1d7v 1 1 -qi7 1d7w 1 1 -km6 1d7x 1 1 -xif 1d7y 1 1
-x2v 1d7z 1 1 -wup 1d80 1 1 -tbg 1d81 1 1 -s4e 1d82 1 1 -qoy 1d83 1 1 -pqk 1d84 1 1 -nxv 1d85 1 1 -mr3 1d86 1
1 -moq 1d87 1 1 -l6w 1d88 1 1 -jd2 1d89 1 1 -iiy 1d8a 1 1 -i0w 1d8b 1 1 -pf3 1d8c 1 1 -p8d 1d8d 1 1 -of1 1d8e
1 1 -n79 1d8f 1 1 -k6z 1d8g 1 1 -hxd 1d8h 1 1 -lt7 1d8i 1 1 -voj 1d8j 1 1 -ugv 1d8k 1 1 -oo4 1d8l 1 1 -nuv
1d8m 1 1 -qn8 1d8n 1 1 -pdp 1d8o 1 1 -lfq 1d8p 1 1 -jf6 1d8q 1 1 -voy 1d8r 1 1 -uzt 1d8s 1 1 -sah 1d8t 1 1
-rjn 1d8u 1 1 -rb3 1d8v 1 1 -oio 1d8w 1 1 -obd 1d8x 1 1 -jk6 1d8y 1 1 -ww0 1d8z 1 1 -nuw 1d90 1 1 -x2w 1d91 1
1 -x3d 1d92 1 1 -p4q 1d93 1 1 -oex 1d94 1 1 -n6v 1d95 1 1 -jj8 1d96 1 1 -lp6 1d97 1 1 -tqk 1d98 1 1 -sbe 1d99
1 1 -lsv 1d9a 1 1 -xt1 1d9b 1 1 -v3s 1d9c 1 1 -ua6 1d9d 1 1 -qfu 1d9e 1 1 -q2a 1d9f 1 1 -wuk 1d9g 1 1 -pd5
1d9h 1 1 -xie 1d9i 1 1 -ud9 1d9j 1 1 -xui 1d9k 1 1 -rrw 1d9l 1 1 -t81 1d9m 1 1 -ojs 1d9n 1 1 -wq0 1d9o 1 1
-vta 1d9p 1 1 -prg 1d9q 1 1 -n51 1d9r 1 1 -lvp 1d9s 1 1 -rzq 1d9t 1 1 -kw1 1d9u 1 1 -ru2 1d9v 1 1 -tpx 1d9w 1
1 -nf3 1d9x 1 1 -tlh 1d9y 1 1 -q35 1d9z 1 1 -xqh 1da0 1 1 -x73 1da1 1 1 -x4g 1da2 1 1 -smx 1da3 1 1 -olw 1da4
1 1 -nil 1da5 1 1 -luz 1da6 1 1 -khb 1da7 1 1 -wwa 1da8 1 1 -wn2 1da9 1 1 -vm6 1daa 1 1 -uja 1dab 1 1 -t6m
1dac 1 1 -r5y 1dad 1 1 -pcr 1dae 1 1 -jq1 1daf 1 1 -isd 1dag 1 1 -hyp 1dah 1 1 -hx7 1dai 1 1 -wz3 1daj 1 1
-szp 1dak 1 1 -s2d 1dal 1 1 -kyz 1dam 1 1 -umy 1dan 1 1 -u0v 1dao 1 1 -txs 1dap 1 1 -tfb 1daq 1 1 -rcf 1dar 1
1 -qx6 1das 1 1 -qa3 1dat 1 1 -p8r 1dau 1 1 -of6 1dav 1 1 -nxk 1daw 1 1 -l0y 1dax 1 1 -n1n 1day 1 1 -ktz 1daz
1 1 -k7l 1db0 1 1 -x39 1db1 1 1 -wze 1db2 1 1 -wkh 1db3 1 1 -r13 1db4 1 1 -mam 1db5 1 1 -lx3 1db6 1 1 -ul5
1db7 1 1 -ucu 1db8 1 1 -tnt 1db9 1 1 -s1j 1dba 1 1 -ors 1dbb 1 1 -qia 1dbc 1 1 -xqc 1dbd 1 1 -w4w 1dbe 1 1
-v5v 1dbf 1 1 -usx 1dbg 1 1 -uc0 1dbh 1 1 -qgr 1dbi 1 1 -qbp 1dbj 1 1 -o45 1dbk 1 1 -nze 1dbl 1 1 -kfx 1dbm 1
1 -ji4 1dbn 1 1 -jfv 1dbo 1 1 -ja4 1dbp 1 1 -xm2 1dbq 1 1 -pag 1dbr 1 1 -kjn 1dbs 1 1 -jk0 1dbt 1 1 -u6w 1dbu
1 1 -xtg 1dbv 1 1 -xcx 1dbw 1 1 -v66 1dbx 1 1 -v3y 1dby 1 1 -t9h 1dbz 1 1 -se5 1dc0 1 1 -quq 1dc1 1 1 -pz3
1dc2 1 1 -n2e 1dc3 1 1 -ksn 1dc4 1 1 -htj 1dc5 1 1 -t31 1dc6 1 1 -jo8 1dc7 1 1 -x1a 1dc8 1 1 -swd 1dc9 1 1
-st2 1dca 1 1 -rrd 1dcb 1 1 -rhr 1dcc 1 1 -qf7 1dcd 1 1 -q5w 1dce 1 1 -pk3 1dcf 1 1 -on3 1dcg 1 1 -j8y 1dch 1
1 -x9g 1dci 1 1 -tyc 1dcj 1 1 -jmj 1dck 1 1 -xih 1dcl 1 1 -uyk 1dcm 1 1 -rn0 1dcn 1 1 -l2l 1dco 1 1 -uh9 1dcp
1 1 -u51 1dcq 1 1 -ssj 1dcr 1 1 -qj8 1dcs 1 1 -jme 1dct 1 1 -x4k 1dcu 1 1 -wr3 1dcv 1 1 -v3u 1dcw 1 1 -t71
1dcx 1 1 -syb 1dcy 1 1 -soq 1dcz 1 1 -rum 1dd0 1 1 -qfy 1dd1 1 1 -q2r 1dd2 1 1 -o6l 1dd3 1 1 -mc8 1dd4 1 1
-mbr 1dd5 1 1 -kkd 1dd6 1 1 -jk8 1dd7 1 1 -wx8 1dd8 1 1 -rhu 1dd9 1 1 -wr4 1dda 1 1 -qvy 1ddb 1 1 -qc7 1ddc 1
1 -mwm 1ddd 1 1 -jm6 1dde 1 1 -ihn 1ddf 1 1 -i1g 1ddg 1 1 -swt 1ddh 1 1 -roq 1ddi 1 1 -npq 1ddj 1 1 -p4c 1ddk
1 1 -p20 1ddl 1 1 -orr 1ddm 1 1 -qpm 1ddn 1 1 -r4y 1ddo 1 1 -lus 1ddp 1 1 -xtp 1ddq 1 1 -ngo 1ddr 1 1 -x51
1dds 1 1 -x6h 1ddt 1 1 -uor 1ddu 1 1 -tv3 1ddv 1 1 -oq5 1ddw 1 1 -vb3 1ddx 1 1 -rtz 1ddy 1 1 -t3m 1ddz 1 1
-l3g 1de0 1 1 -mgs 1de1 1 1 -jp8 1de2 1 1 -m7z 1de3 1 1 -uns 1de4 1 1 -xcc 1de5 1 1 -wgd 1de8 1 1 -vxy 1dea 1
1 -t5q 1ded 1 1 -x87 1dee 1 1 -qng 1def 1 1 -pxp 1deg 1 1 -pgc 1deh 1 1 -pff 1dei 1 1 -pf9 1dej 1 1 -pe4 1dek
1 1 -jie 1del 1 1 -orj 1dem 1 1 -o69 1deo 1 1 -mxa 1deq 1 1 -lyi 1det 1 1 -kx9 1deu 1 1 -krt 1dey 1 1 -j7f
1dez 1 1 -j73 1df0 1 1 -j5w 1df1 1 1 -i9l 1df2 1 1 -ksw 1df3 1 1 -jnc 1df4 1 1 -xoi 1df5 1 1 -xfu 1df6 1 1
-xd1 1df7 1 1 -x2i 1df8 1 1 -x1s 1df9 1 1 -wys 1dfa 1 1 -wih 1dfb 1 1 -wfl 1dfc 1 1 -wcw 1dfd 1 1 -vzt 1dfe 1
1 -vwy 1dff 1 1 -v6f 1dfg 1 1 -v66 1dfh 1 1 -ucp 1dfi 1 1 -u6u 1dfj 1 1 -u5t 1dfk 1 1 -u32 1dfl 1 1 -tf6 1dfm
1 1 -tb4 1dfn 1 1 -t6a 1dfo 1 1 -ssf 1dfp 1 1 -rta 1dfq 1 1 -ros 1dfr 1 1 -rhh 1dfs 1 1 -r16 1dft 1 1 -qvy
1dfu 1 1 -qi0 1dfv 1 1 -pmi 1dfw 1 1 -phq 1dfx 1 1 -phg 1dfy 1 1 -phi 1dfz 1 1 -phb 1dg0 1 1 -ph6 1dg1 1 1
-ph0 1dg2 2 1 -pfp 1dg4 1 1 -pas 1dg5 1 1 -p90 1dg6 1 1 -p06 1dg7 1 1 -okj 1dg8 1 1 -ojz 1dg9 1 1 -oig 1dga 1
1 -oa0 1dgb 1 1 -o5y 1dgc 1 1 -nsf 1dgd 1 1 -nok 1dge 1 1 -nol 1dgf 1 1 -nbc 1dgg 1 1 -mds 1dgh 1 1 -ma3 1dgi
1 1 -m01 1dgj 1 1 -lyi 1dgk 1 1 -ln5 1dgl 1 1 -llp 1dgm 1 1 -l2o 1dgn 1 1 -kz3 1dgo 1 1 -jnp 1dgp 1 1 -jfu
1dgq 1 1 -je7 1dgr 1 1 -ueu 1dgs 1 1 1sw2 1dgt 1 1 -nrp 1dgw 1 1 -y16 1dgx 1 1 -xbw 1dgy 1 1 -xe2 1dgz 1 1
-xrn 1dh0 1 1 -xf3 1dh1 1 1 -xdh 1dh2 1 1 -x4f 1dh3 1 1 -x31 1dh4 1 1 -wkb 1dh5 1 1 -wmc 1dh6 1 1 -wkh 1dh7 1
1 -wih 1dh8 1 1 -w0y 1dh9 1 1 -vyi 1dha 1 1 -vui 1dhb 1 1 -vu3 1dhc 1 1 -vmm 1dhd 1 1 -vh5 1dhe 1 1 -ur4 1dhf
1 1 -uqy 1dhg 1 1 -umz 1dhh 1 1 -ul4 1dhi 1 1 -ucu 1dhj 1 1 -u9l 1dhk 1 1 -ubk 1dhl 1 1 -u7v 1dhm 1 1 -u96
1dhn 1 1 -u55 1dho 1 1 -u3c 1dhp 1 1 -ts9 1dhq 1 1 -tpu 1dhr 1 1 -tod 1dhs 1 1 -th6 1dht 1 1 -t99 1dhu 1 1
-t4r 1dhv 1 1 -t4o 1dhw 1 1 -t32 1dhx 1 1 -s9o 1dhy 1 1 -s7w 1dhz 1 1 -rx2 1di0 1 1 -rlp 1di1 1 1 -rm6 1di2 1
1 -rjs 1di3 1 1 -rct 1di4 1 1 -r3i 1di5 1 1 -pva 1di6 1 1 -qy1 1di7 1 1 -quo 1di8 1 1 -qra 1di9 1 1 -qi8 1dia
1 1 -qe4 1dib 1 1 -qco 1dic 1 1 -q6f 1did 1 1 -q6e 1die 1 1 -q1o 1dif 1 1 -q18 1dig 1 1 -q0k 1dih 1 1 -py7
1dii 1 1 -pyi 1dij 1 1 -pnj 1dik 1 1 -pa3 1dil 1 1 -p2l 1dim 1 1 -oxf 1din 1 1 -or8 1dio 1 1 -on0 1dip 1 1
-odv 1diq 1 1 -o8d 1dir 1 1 -nkx 1dis 1 1 -ngl 1dit 1 1 -mrg 1diu 1 1 -met 1div 1 1 -mcx 1diw 1 1 -mci 1dix 1
1 -m4a 1diy 1 1 -m2q 1diz 1 1 -m40 1dj0 1 1 -m2j 1dj1 1 1 -m2n 1dj2 1 1 -m35 1dj3 1 1 -m12 1dj4 1 1 -lyu 1dj5
1 1 -lo9 1dj6 1 1 -l8q 1dj7 1 1 -l01 1dj8 1 1 -krv 1dj9 1 1 -klr 1dja 1 1 -jt6 1djb 1 1 -jqc 1djc 1 1 -jn6
1djd 1 1 -jji 1dje 1 1 -jij 1djf 1 1 -ji8 1djg 1 1 -jgx 1djh 1 1 -iwr 1dji 1 1 -i0i 1djj 1 1 1njv 1djk 1 1
1njo 1djl 1 1 1ptw 1djm 1 1 -11rp 1djn 1 1 -10vv 1djo 1 1 -10uz 1djp 1 1 1vuc 1djq 1 1 1xx6 1djr 1 1 24n0 1djs
1 1 -i39 1djt 1 1 -i17 1dlp 1 1 -1cg4 1dlr 1 1 -1cfh 1dls 1 1 -1cfy 1dlt 1 1 -1cgh 1dlu 2 1 -1cgf 1dlw 3 1
-1cg9 1dlz 1 1 -1cfz 1dm0 1 1 -1cfy 1dm1 1 1 -1dku 1dm2 1 1 -1cg1 1dm3 1 1 -1cg2 1dm4 1 1 -1cg3 1dm5 1 1 -1cg4
1dm6 1 1 -1cgu 1dm7 1 1 -1cgv 1dm8 7 1 -1cgw 1dmg 5 1 -1cgw 1dmm 2 2 -1cgw 1dmp 2 2 -1cgw 1dms 2 2 -1cgw 1dmv
4 1 -1cgw 1dmz 1 1 -1chi 1dn0 1 1 -1chn 1dn1 1 1 -1che 1dn2 1 1 -1ch6 1dn4 1 1 -1cdb 1dn5 1 1 -1cdc 1dn6 1 1
-1cd3 1dn7 1 1 -1cd4 1dn8 1 1 -1cd5 1dn9 1 1 -1cd6 1dna 1 1 -1cd4 1dnb 1 1 -1cd5 1dnc 1 1 -1cd6 1dnd 1 1 -1cd7
1dne 1 1 -1cd6 1dnf 1 1 -1cd7 1dng 1 1 -1cd8 1dnh 1 1 -1cd9 1dni 1 1 -1cdg 1dnj 1 1 -1cdh 1dnk 1 1 -1cdi 1dnl
1 1 -1cdj 1dnm 1 1 -1cdf 1dnn 1 1 -1cdg 1dno 1 1 -1cdh 1dnp 1 1 -1cdi 1dnq 1 1 -1cdp 1dnr 1 1 -1cdq 1dns 1 1
-1cdr 1dnt 1 1 -1cds 1dnu 1 1 -1ccm 1dnv 1 1 -1ccn 1dnw 1 1 -1cco 1dnx 1 1 -1ccp 1dny 1 1 -1cco 1dnz 1 1 -1ccp
1do0 1 1 -1ccq 1do1 1 1 -1ccr 1do2 1 1 -1cdq 1do3 1 1 -1cdr 1do4 1 1 -1cds 1do5 1 1 -1cdt 1do6 1 1 -1cdv 1do7
1 1 -1cdw 1do8 1 1 -1cdx 1do9 1 1 -1cdy 1doa 1 1 -1cdw 1dob 1 1 -1cdx 1doc 1 1 -1cdy 1dod 2 1 -1cdz 1dof 1 1
-1ce0 1dog 1 1 -1ce1 1doh 1 1 -1ce2 1doi 1 1 -1cdx 1doj 1 1 -1cdy 1dok 1 1 -1ce0 1dol 1 1 -1ce1 1dom 1 1 -1ce0
1don 1 1 -1ce1 1doo 1 1 -1ce8 1dop 1 1 -1ce9 1doq 1 1 -1cdu 1dor 1 1 -1cdv 1dos 1 1 -1ce3 1dot 1 1 -1ce4 1dou
1 1 -1cdh 1dov 1 1 -1cdi 1dow 1 1 -1cdj 1dox 1 1 -1cdk 1doy 1 1 -1cdf 1doz 1 1 -1cdg 1dp0 1 1 -1cdh 1dp1 1 1
-1cdi 1dp2 1 1 -1cdf 1dp3 1 1 -1cdg 1dp4 1 1 -1cdh 1dp5 1 1 -1cdi 1dp6 1 1 -1cdl 1dp7 1 1 -1cdm 1dp8 1 1 -1cdn
1dp9 1 1 -1cdo 1dpa 1 1 -1cdg 1dpb 2 1 -1cdh 1dpd 1 1 -1cdi 1dpe 1 1 -1cdj 1dpf 1 1 -1cdk 1dpg 1 1 -1ccv 1dph
1 1 -1ccw 1dpi 1 1 -1cdh 1dpj 1 1 -1cdi 1dpk 1 1 -1cdj 1dpl 1 1 -1cdk 1dpm 1 1 -1cdo 1dpn 1 1 -1cdp 1dpo 1 1
-1cdq 1dpp 1 1 -1cdr 1dpq 1 1 -1cd8 1dpr 1 1 -1cd9 1dps 1 1 -1cda 1dpt 1 1 -1cdb 1dqr 1 1 -1cfa 1dqs 1 1 -1cfb
1dqt 1 1 -1cfc 1dqu 1 1 -1cfd 1dqv 1 1 -1ceo 1dqw 1 1 -1cep 1dqx 1 1 -1cer 1dqy 1 1 -1ces 1dqz 1 1 -1cer 1dr0
1 1 -1ces 1dr2 1 1 -1cer 1dr3 1 1 -1ces 1dr4 1 1 -1cez 1dr5 1 1 -1cf0 1dr6 1 1 -1cex 1dr7 1 1 -1cey 1dr8 1 1
-1ces 1dr9 1 1 -1cet 1dra 1 1 -1ceu 1drb 1 1 -1cev 1drc 1 1 -1cin 1drd 1 1 -1cio 1drw 1 1 -1cfk 1drx 1 1 -1cfl
1dry 1 1 -1cfm 1drz 1 1 -1cfn 1duj 2 1 -1cmj 1dul 1 1 -1clw 1dum 1 1 -1dtq 1dun 1 1 -1dtr 1duo 1 1 -1dts 1dup
1 1 -1dtt 1duq 1 1 -1dtu 1dur 1 1 -1dtv 1dw0 1 1 -1cnb 1dy1 1 1 -1cpe 1dyq 1 1 -1cqa 1dyr 1 1 -1cqb 1dys 1 1
-1cqc 1e0s 1 1 -1ct1 1e0t 1 1 -1ct2 1e6o 1 1 -1e5g 1e6p 2 1 -14pc 1e6r 2 1 -1e55 1e6t 1 1 -1e5w 1e6u 1 1 -1e53
1e6v 2 1 -14ox 1e7l 1 1 -17vh 1e7m 1 1 -17vj 1e7n 1 1 -1e50 1e7o 1 1 -1e51 1e7p 2 1 -1e6l 1e7r 1 1 -1e4c 1e7s
1 1 -1e4b 1e7t 2 1 -14px 1e7v 2 1 -14q3 1e7x 2 1 -14qb 1e7z 2 1 -14qf 1e81 4 1 -14qd 1e87 1 1 -1e5o 1e88 1 1
-1e5n 1e89 1 1 -1e7d 1e8a 1 1 -1e7e 1e8b 1 1 -1e7f 1e8c 1 1 -1e7g 1e8d 1 1 -1e5q 1e8e 1 1 -1e5r 1e8f 1 1 -1e5s
1e8g 1 1 -1e78 1e8h 1 1 -14r4 1e8i 1 1 -1e78 1e8k 1 1 -1e6x 1e8l 1 1 -1e6z 1e8m 1 1 -1e6v 1e8n 1 1 -1e7q 1e8o
1 1 -17wk 1e8p 2 1 -1e7l 1e8r 1 1 -1e5c 1e8s 1 1 -1e5b 1e8t 2 1 -14qx 1e8v 1 1 -1e7w 1e8w 1 1 -1e7u 1e8x 2 1
-1e7r 1e8z 1 1 -1e7q 1e90 1 1 -1e7c 1e91 1 1 -1e7b 1e92 1 1 -1e7d 1e94 1 1 -1e6k 1e95 2 1 -1e85 1e97 1 1 -1e7f
1e9c 1 1 -1e8g 1e9d 1 1 -1d0x 1e9e 1 1 -1e8i 1e9g 1 1 -1e8k 1e9i 1 1 -1e8m 1e9j 1 1 -1d13 1e9k 1 1 -1e8o 1e9l
1 1 -1d15 1e9m 1 1 -1e8q 1e9n 1 1 -1d17 1e9o 1 1 -1e8s 1e9p 1 1 -1d19 1e9q 1 1 -1e8u 1e9r 1 1 -1d1b 1e9s 1 1
-1d27 1e9t 1 1 -1d22 1e9u 1 1 -1d23 1e9v 1 1 -1d24 1e9w 1 1 -1d25 1e9x 1 1 -1d19 1e9y 1 1 -1d1a 1e9z 1 1 -1d28
1ea0 1 1 -1d29 1ea1 1 1 -1d1b 1ea2 1 1 -1d1c 1ea3 1 1 -1d1d 1ea4 1 1 -1d1e 1ea5 1 1 -1d2e 1ea6 2 1 -1d2f 1ea8
1 1 -1d2g 1ea9 1 1 -1d2h 1eaa 2 1 -1d2i 1eac 2 1 -1d2j 1eae 1 1 -1d2k 1eaf 1 1 -1d2l 1eag 2 1 -1d2m 1eai 1 1
-1d2n 1eaj 1 1 -1d2o 1eak 2 1 -1d2p 1eam 1 1 -1d2q 1ean 1 1 -1d2r 1eao 2 1 -1d2s 1eaq 1 1 -1d2t 1ear 1 1 -1d2u
1eas 2 1 -1d2v 1eau 1 1 -1d2w 1eav 1 1 -1d2x 1eaw 2 1 -1d2y 1eay 2 1 -1d2z 1eb0 2 1 -1d30 1eb2 2 1 -1d31 1eb4
2 1 -1d32 1eb6 1 1 -1d33 1eb7 1 1 -1d34 1eb8 2 1 -1d35 1eba 1 1 -1d36 1ebb 1 1 -1d37 1ebc 2 1 -1d38 1ebe 1 1
-1d39 1ebf 1 1 -1d3a 1ebg 2 1 -1d3b 1ebi 1 1 -1d3c 1ebj 1 1 -1d3d 1ebk 2 1 -1d3e 1ebm 1 1 -1d3f 1ebn 1 1 -1d3g
1ebo 2 1 -1d3h 1ebq 1 1 -1d3i 1ebr 1 1 -1d3j 1ebs 2 1 -1d3k 1ebu 1 1 -1d3l 1ebv 1 1 -1d3m 1ebw 2 1 -1d3n 1eby
1 1 -1d3o 1ebz 1 1 -1d3p 1ec0 1 1 -1d3q 1ec1 1 1 -1d3k 1ec2 1 1 -1d3l 1ec3 1 1 -1d3m 1ec4 2 1 -1d3n 1ec6 1 1
-1d3o 1ec7 1 1 -1d3p 1ec8 2 1 -1d3q 1eca 1 1 -1d3r 1ecb 1 1 -1d3s 1ecc 2 1 -1d3t 1ece 1 1 -1d3u 1ecf 1 1 -1d3v
1ecg 2 1 -1d3w 1eci 1 1 -1d3x 1ecj 1 1 -1d3y 1eck 2 1 -1d3z 1ecm 1 1 -1d40 1ecn 1 1 -1d41 1eco 2 1 -1d42 1ecq
1 1 -1d43 1ecr 1 1 -1d44 1ecs 2 1 -1d45 1ecu 2 1 -1d46 1ecw 2 1 -1d47 1ecy 1 1 -1d48 1ecz 1 1 -1d49 1ed0 1 1
-1d4a 1edd 2m 1 -1ecg 1efz 2 1 -168q 1eg1 1 1 -14yn 1eg2 2 1 -14ye 1eg4 1 1 -14yr 1eg5 1 1 -14ru 1eg6 1 1
-14s4 1eg7 1 1 -14ue 1eg8 1 1 -14ud 1eg9 1 1 -14uc 1ega 1 1 -14ub 1egb 1 1 -14ua 1egc 1 1 -14sp 1egd 1 1 -14so
1ege 1 1 -14sn 1egf 1 1 -14to 1egg 1 1 -14s4 1egh 1 1 -14un 1egi 1 1 -14um 1egj 1 1 -14ul 1egk 1 1 -14uk 1egl
2 1 -14uj 1egn 1 1 -14ui 1ego 1 1 -14uh 1egp 1 1 -14ug 1egq 1 1 -14uf 1egr 1 1 -14ue 1egs 1 1 -14ud 1egt 1 1
-14uc 1egu 1 1 -14ub 1egv 1 1 -14ua 1egw 1 1 -14u9 1egx 1 1 -14u8 1egy 1 1 -14u6 1egz 1 1 -14u5 1eh0 1 1 -14u4
1eh1 6 1 -14u3 1eh7 1 1 -14u1 1eh8 1 1 -14tz 1eh9 1 1 -14tx 1eha 1 1 -14tv 1ehb 5 1 -14tt 1ehg 1 1 -14ts 1ehh
1 1 -14tr 1ehi 6 1 -14tq 1eho 1 1 -14tp 1ehp 1 1 -14tm 1ehs 1 1 -1b28 1eht 2 1 -1b4x 1ehv 1 1 -1b09 1ehw 1 1
-1b4y 1ehx 2 1 -1b09 1ehz 3 1 -1b50 1ei2 6 1 -1b0a 1ei8 1 1 -1b4m 1ei9 3 1 -1b57 1eic 1 1 -1b4j 1eid a 1 -1b58
1eiq 6 1 -1b35 1eiy 6 1 -1b37 1ej6 6 1 -1b39 1eje 3 1 -1b3b 1ejk 2 1 -1ef2 1ejm 1 1 -1eeu 1ejn 1 1 -1eir 1ejo
1 1 -1ef2 1ejp 1 1 -1ef4 1ejq 1 1 -183h 1ejs 1 1 -178m 1ejt 4 1 -17x5 1ejx 1 1 -174d 1ejy 1 1 -1737 1fpl 1 1 9
1fqc 1 1 -a 1g1t 2 1 -1fht 1g1v 1 1 -1fvh 1g1w 1 1 -1fjf 1g1x 1 1 -1fle 1g1z 1 1 -1fj8 1g20 1 1 -i76 1g21 1 1
-1fj8 1g22 1 1 -1fja 1g23 2 1 -1flh 1g25 1 1 -1a7w 1g26 1 1 -1fli 1g27 1 1 -1fld 1g28 1 1 -1fjb 1g29 1 1 -1fl9
1g2a 1 1 -1flc 1g2b 1 1 -1flf 1g2c 1 1 -1fjt 1g2d 1 1 -1fu6 1g2e 1 1 -1fju 1g2f 1 1 -1flc 1g2g 1 1 -1fkk 1g2h
2 1 -1fjj 1g2j 1 1 -1flb 1g2k 1 1 16js 1g2l 1 1 -iz3 1g2m 1 1 -1flc 1g2n 1 1 16jq 1g2o 1 1 -1fki 1g2p 1 1 16jp
1g2q 1 1 -1fvu 1g2r 2 1 -1fl9 1g2t 1 1 -1fzo 1g2u 1 1 -1fl8 1g2v 1 1 16jl 1g2w 2 1 -1fl7 1g2y 1 1 -1fl6 1g2z 1
1 -1fk3 1g30 1 1 -1fk6 1g31 1 1 -i86 1g32 1 1 -1fk7 1g33 1 1 -1fl3 1g34 1 1 -17b3 1g36 1 1 -1fkz 1g37 2 1
-1fki 1g39 1 1 -1fkt 1g3a 3 1 -1fqu 1g3d 1 1 16j5 1g3e 1 1 16jo 1hui 2 2 -1 1huz 1 1 -6 2j12 q 1 -2iz9 2j1s a
1 -2j0g 2jxa 2 1 -7 2jxc 1 1 -8 2jxd 1 1 -9 2jxe 1 1 -a 2jxf 1 1 -b 2jxg 1 1 -c 2jzv 2 1 -2 2jzx 2 1 -4 2jzz 2
1 -6 2kg0 q 1 -2ke7 2kgq q 1 -2ke1 2khg q 1 -2kfn 2ki6 7 1 -2kfh 2kie i 1 -2kfh 2kiw q 1 -2kh3 2kjm q 1 -2kgx
2kkc 2 2 -2kij 2kkf 1 1 -2kij 2kki 1 1 -2kij 2kkl 2 1 -2kij 2kkp 4 1 -2kij 2kku 8 1 -2kij 2kl2 4 1 -2kid 2kl7
2 2 -2kid 2kla 6 1 -2kid 2klh b 1 -2kid 2kls q 1 -2kjz 2kmi q 1 -2kjt 2kn8 2 1 -2klf 2knb 4 1 -2klf 2knh 8 1
-2klf 2knq 7 1 -2klf 2kny q 1 -2kl9 2koo 2 1 -2kmv 2kor 4 1 -2kmv 2kow 5 1 -2kmv 2kp2 1 1 -2kmv 2kp6 7 1 -2kmv
2kpe q 1 -2kmp 2kq4 q 1 -2kob 2kqu q 1 -2ko5 2krk q 1 -2kpr 2ksa q 1 -2kpl 2kt0 q 1 -2kr7 2ktq q 1 -2kr1 2kug
q 1 -2ksn 2kv6 q 1 -2ksh 2kvw q 1 -2ku3 2kwm q 1 -2ktx 2kxc q 1 -2kvj 2ky2 q 1 -2kvd 2kys 1 1 -2kqb 2kyt 1 1
-2kj2 2kyw h 1 -2k9j 2kzd 1 1 -2k9t 2kze 7 1 -2k9j 2kzl 1 1 -2e9m 2kzm p 1 -2k9d 2l0b 1 1 -2eah 2l0c 1 1 -2k9z
2l0d 1 1 -2k9x 2l0e 1 1 -2k9w 2l0f 1 1 -2k9l 2l0g 1 1 -2k9r 2l0h 1 1 -2k9t 2l0i h 1 -2kb5 2l0z 1 1 -2kbf 2l10
7 1 -2kb5 2l17 1 1 -2eb8 2l18 p 1 -2kaz 2l1x 1 1 -2ec3 2l1y 1 1 -2kbl 2l1z 1 1 -2kbj 2l20 1 1 -2kbi 2l21 1 1
-2kb7 2l22 1 1 -2kbd 2l23 1 1 -2kbf 2l24 h 1 -2kcr 2l2l 1 1 -2kd1 2l2m 7 1 -2kcr 2l2t 1 1 -2ecu 2l2u p 1 -2kcl
2l3j 1 1 -2edp 2l3k 1 1 -2kd7 2l3l 1 1 -2kd5 2l3m 1 1 -2kd4 2l3n 1 1 -2kct 2l3o 1 1 -2kcz 2l3p 1 1 -2kd1 2l3q
h 1 -2ked 2l47 1 1 -2ken 2l48 7 1 -2ked 2l4f 1 1 -2eeg 2l4g p 1 -2ke7 2l55 1 1 -2efb 2l56 1 1 -2ket 2l57 1 1
-2ker 2l58 1 1 -2keq 2l59 1 1 -2kef 2l5a 1 1 -2kel 2l5b 1 1 -2ken 2l5c h 1 -2kfz 2l5t 1 1 -2kg9 2l5u 7 1 -2kfz
2l61 1 1 -2eg2 2l62 p 1 -2kft 2l6r 1 1 -2egx 2l6s 1 1 -2kgf 2l6t 1 1 -2kgd 2l6u 1 1 -2kgc 2l6v 1 1 -2kg1 2l6w
1 1 -2kg7 2l6x 1 1 -2kg9 2l6y 2 1 -2kfi 2l72 a 1 -2l5q 2l7c a 1 -2l60 2l7m a 1 -2l6a 2l7w a 1 -2l6k 2l86 a 1
-2l6u 2muo 9 1 -2m0w 2mux 3 1 -2m0v 2mv0 b 1 -2m0u 2mvb 1 1 -2m0s 2mvc 2 1 -2m0r 2mve 1 1 -1pz5 2mvf 1 1 -2lwy
2mvg 1 1 -2m0m 2mvh 1 1 -2m0l 2mvi 1 1 -2lwl 2mvj 1 1 -2ly8 2mvk 1 1 -2lxd 2mvl 9 1 -2m1t 2mvu 2 1 -2m1s 2mvw
2 1 -2m1q 2mvy 1 1 -2m1p 2mvz 6 1 -2m1o 2mw5 2 1 -2m1n 2mw7 1 1 -2lzq 2mw8 1 1 -2m1e 2mw9 1 1 -2m1g 2mwa 1 1
-2m17 2mwb 1 1 -2lz4 2mwc 1 1 -1q1n 2mwd 1 1 -2lz0 2pkw 2 1 -2od5 2pky 1 1 -2od2 2pkz 1 1 -2od0 2pl1 1 1 -2ocd
2pl2 1 1 -2od0 2pl3 1 1 -2od6 2pl4 1 1 -2ocx 2pl5 1 1 -2ocf 2pl6 4 1 -2ocn 2pla 1 1 -2od7 2plb 1 1 -2od2 2plc
1 1 -2ocv 2pld 1 1 -2od8 2ple 1 1 -2ocw 2plf 1 1 -2ode 2plg 1 1 -2odc 2plh 2 1 -2odn 2plj 1 1 -2odl 2plk 1 1
-2odk 2pll 1 1 -2odf 2plm 1 1 -2ode 2pln 1 1 -2odd 2plo 1 1 -2oby 2plp 1 1 -2o9v 2plq 1 1 -2oal 2plr 1 1 -2oc0
2plt 1 1 -2oe1 2plu 1 1 -2ody 2plw 1 1 -2od9 2plz 1 1 -2oe2 2pm1 1 1 -2odb 2pm2 4 1 -2odj 2pm6 1 1 -2oe3 2pm7
1 1 -2ody 2pm8 1 1 -2odr 2pm9 1 1 -2oe4 2pma 1 1 -2ods 2pmc 1 1 -2oe8 2pmd 2 1 -2oej 2pmf 1 1 -2oeh 2pmh 1 1
-2oeb 2pmj 1 1 -2oe9 2pmq 1 1 -2oeu 2pmv 1 1 -2oey 2pmx 1 1 -2oe7 2pmz 2 2 -2oef 2pn2 1 1 -2oez 2pn3 1 1 -2oeu
2pn5 1 1 -2of0 2pn6 1 1 -2oeo 2pn8 1 1 -2of4 2pnb 1 1 -2ofd 2pnd 1 1 -2of7 2pnf 1 1 -2of5 2pnh 1 1 -2obn 2pnj
1 1 -2ods 2pnl 1 1 -2oft 2pnm 1 1 -2ofq 2pno 1 1 -2of1 2pnr 1 1 -2ofu 2pns 1 1 -2ofl 2pnt 1 1 -2of3 2pnu 2 2
-2ofb 2pnx 1 1 -2ofb 2pny 1 1 -2ofv 2pnz 1 1 -2ofq 2po0 1 1 -2ofj 2po1 1 1 -2ofw 2po2 1 1 -2ofk 2po4 1 1 -2og0
2po5 2 1 -2ogb 2po7 1 1 -2og9 2po9 1 1 -2og3 2poa 1 1 -2og2 2pob 1 1 -2og1 2poc 1 1 -2oem 2poe 1 1 -2od9 2pog
2 1 -2ogp 2poi 1 1 -2ogm 2poj 1 1 -2ogk 2pok 2 1 -2ofx 2pom 1 1 -2ogk 2pon 1 1 -2ogq 2poo 1 1 -2ogh 2pop 1 1
-2ofz 2por 3 1 -2og7 2pou 1 1 -2ogr 2pov 1 1 -2ogm 2pow 1 1 -2ogf 2pox 1 1 -2ogs 2poy 1 1 -2ogg 2poz 1 1 -2ogy
2pp0 1 1 -2ogw 2pp1 2 1 -2oh7 2pp3 1 1 -2oh5 2pp4 1 1 -2oh4 2pp5 1 1 -2ogz 2pp6 1 1 -2ogy 2pp7 1 1 -2ogx 2ppd
1 1 -2ohl 2ppe 1 1 -2ohi 2ppf 1 1 -2ohg 2pph 1 1 -2ogt 2ppi 1 1 -2ohg 2ppj 1 1 -2ohm 2ppk 1 1 -2ohd 2ppl 1 1
-2ogv 2ppn 3 1 -2oh3 2ppq 1 1 -2ohn 2ppr 1 1 -2ohi 2pps 1 1 -2ohb 2ppt 1 1 -2oho 2ppu 1 1 -2ohc 2ppv 1 1 -2ohu
2ppw 1 1 -2ohs 2ppx 2 1 -2oi3 2ppz 1 1 -2oi1 2pq0 1 1 -2oi0 2pq1 1 1 -2ohv 2pq2 1 1 -2ohu 2pq3 1 1 -2oht 2q7f
1 1 -2q5k 2q7g 1 1 -2q56 2q7k q 1 -2q5r 2qde 1 1 -2gr1 2qds 1 1 -26yt 2qdt 1 1 -28ca 2qdu 1 1 -29ty 2qdv 1 1
-2gr1 2qdw 1 1 -2avc 2qdx 1 1 -28sb 2qdy 1 1 -1z5f 2qdz 1 1 -28ry 2qe0 1 1 -2aus 2qe1 1 1 -267t 2qe2 1 1 -241l
2qe3 1 1 -26bm 2qe4 1 1 -2a4v 2qe5 1 1 -27ip 2qe6 1 1 -2aa9 2qe7 1 1 -26b3 2qe8 1 1 -2a6b 2qe9 1 1 -21nj 2qea
1 1 -239f 2qeb 1 1 -1ym2 2qec 1 1 -28tw 2qed 1 1 -29rg 2qee 1 1 -24gi 2qef 1 1 -26xe 2qeg 1 1 -26s3 2qeh 1 1
-2azt 2qei 1 1 -2azl 2qej 1 1 -1xwh 2qek 1 1 -27uu 2qel 1 1 -2ayo 2qem 1 1 -29tn 2qen 1 1 -26ug 2qeo 1 1 -1ygw
2qep 1 1 -26zi 2qeq 1 1 -22ep 2qer 1 1 -227t 2qes 1 1 -29t8 2qet 1 1 -24l1 2qeu 1 1 -2625 2qev 1 1 -2627 2qew
1 1 -239h 2qex 1 1 -2a4n 2qey 1 1 -29hg 2qez 1 1 -1xpq 2qfk 1 1 -27jt 2qfl 1 1 -29uq 2sc0 a 1 -2sao 464g 1 1
-3qo3 464h 1 1 -3qo9 464i 1 1 -3qo1 464j 1 1 -1crl 464k 1 1 -3qg4 464l 1 1 -3qdz 464m 1 1 -3qdn 464n 1 1 -3qbp
464o 1 1 -3q8e 464p 1 1 -3q7k 464q 1 1 -3q5f 464r 1 1 -3q64 464s 1 1 -3vqm 464t 1 1 -1brn 464u 1 1 -3q2p 464v
1 1 -3q2j 464w 1 1 -3q24 464x 1 1 -3q1m 464y 1 1 -1bzq 464z 1 1 -3vq2 4650 1 1 -3q25 4651 1 1 -3q14 4652 1 1
-1byj 4653 1 1 -3q0w 4654 1 1 -3q0k 4655 1 1 -3qkt 4656 1 1 -3q0e 4657 1 1 -3q06 4658 1 1 -k71 4659 1 1 -3pyg
465a 1 1 -3py3 465b 1 1 -3vpc 465c 1 1 -3pwl 465d 1 1 -3pwb 465e 1 1 -3pv4 465f 1 1 -3pv0 465g 1 1 -3vnz 465h
1 1 -3psu 465i 1 1 -3pst 465j 1 1 -3ps3 465k 1 1 -3pri 465l 2 1 -3pr8 465n 1 1 -3pqs 465o 1 1 -3ppf 465p 1 1
-3pp8 465q 1 1 -3pp0 465r 1 1 -3poc 465s 1 1 -3po3 465t 1 1 -3po2 465u 1 1 -3po3 465v 1 1 -3po4 465w 1 1 -1b0o
465x 1 1 -3jyd 465y 1 1 -3pm4 465z 1 1 -3plk 4660 1 1 -1as5 4661 1 1 -3pla 4662 1 1 -3pl5 4663 1 1 -3pkl 4664
1 1 -3pge 4665 1 1 -3pj9 4666 1 1 -3piu 4667 1 1 -3phz 4668 1 1 -3pge 4669 1 1 -3pe3 466a 1 1 -3pde 466b 1 1
-3pbk 466c 1 1 -3pb5 466d 1 1 -3pa9 466e 1 1 -3paa 466f 1 1 -3p9q 466g 1 1 -3p99 466h 1 1 -3p92 466i 1 1 -3p8o
466j 1 1 -3oz9 466k 1 1 -3p6u 466l 1 1 -3oza 466m 1 1 -3p4t 466n 1 1 -3p3v 466o 1 1 -3pzd 466p 1 1 -3omb 466q
1 1 -3ouc 466r 1 1 -3otb 466s 1 1 -3osn 466t 1 1 -3owa 466u 1 1 -3oro 466v 1 1 -3orq 466w 1 1 -3ooc 466x 1 1
-18xh 466y 1 1 -3omg 466z 1 1 -3omc 4670 1 1 -3oly 4671 1 1 -3olf 4672 1 1 -3ol8 4673 1 1 -3ojh 4674 1 1 -18l4
4675 1 1 -18jb 4676 1 1 -3ofq 4677 1 1 -3oeg 4678 1 1 -3oe5 4679 1 1 -3ogd 467a 1 1 -3ocg 467b 1 1 -3vcp 467c
1 1 -3vcc 467d 1 1 -3o81 467e 1 1 -3o6k 467f 1 1 -3o6l 467g 1 1 -17z8 467h 1 1 -3o2y 467i 1 1 -3o2e 467j 1 1
-3o20 467k 1 1 -3o1p 467l 1 1 -17q1 467m 1 1 -3o1f 467n 1 1 -3o19 467o 1 1 -3ndt 467p 1 1 -3o0j 467q 1 1 -3v91
467r 1 1 -3nyv 467s 1 1 -3nyi 467t 1 1 -3nw9 467u 1 1 -3nxp 467v 1 1 -176f 467w 1 1 -3nsp 467x 1 1 -176f 467y
1 1 -3nrk 467z 1 1 -3nro 4680 1 1 -3nr8 4681 2 1 -3nog 4683 1 1 -3v4k 4684 1 1 -3nnr 4685 1 1 -3nml 4686 1 1
-3nm1 4687 1 1 -3nku 4688 1 1 -3v3a 4689 1 1 -16h2 468a 1 1 -3v2m 468b 1 1 -3niz 468c 1 1 -3nix 468d 1 1 -3niv
468e 1 1 -3nic 468f 1 1 -gsd 468g 1 1 -3ngy 468h 1 1 -165c 468i 1 1 -165d 468j 1 1 -3gk2 468k 1 1 -3ng2 468l 1
1 -3ng3 468m 1 1 -3v0v 468n 1 1 -1333 468o 1 1 -try 468p 1 1 -3nef 468q 1 1 -3ne7 468r 1 1 -3v08 468s 1 1
-3ncy 468t 1 1 -3nbk 468u 1 1 -3nbb 468v 1 1 -3nae 468w 1 1 -3n6n 468x 1 1 -3uxz 468y 1 1 -3uyu 468z 1 1 -3n67
4690 1 1 -15g0 4691 1 1 -3n4u 4692 1 1 -3n1a 4693 1 1 -3n17 4694 1 1 -3n16 4695 1 1 -3n19 4696 1 1 -3n00 4697
1 1 -3mzh 4698 1 1 -3myi 4699 1 1 -3myx 469a 1 1 -3myn 469b 1 1 -3mxd 469c 1 1 -3mwu 469d 1 1 -3mwr 469e 1 1
-3mw2 469f 1 1 -3mvs 469g 1 1 -3mtz 469h 1 1 -3mro 469i 1 1 -3mqq 469j 1 1 -3mnb 469k 1 1 -14mk 469l 1 1 -3mnw
469m 1 1 -3mpq 469n 1 1 -3mmr 469o 1 1 -3mm1 469p 1 1 -3mjd 469q 1 1 -14gd 469r 1 1 -3mhp 469s 1 1 -3mkb 469t
1 1 -3ml4 469u 1 1 -3us4 469v 1 1 -3mfu 469w 1 1 -3mfa 469x 1 1 -3meg 469y 1 1 -3mfj 469z 1 1 -3uqj 46a0 1 1
-3m9l 46a1 1 1 -3m8t 46a2 1 1 -13nk 46a3 1 1 -3m5k 46a4 1 1 -3lxw 46a5 1 1 -3m2s 46a6 1 1 -3ulx 46a7 1 1 -3m0u
46a8 1 1 -3umg 46a9 1 1 -3unh 46aa 1 1 -3q68 46ab 1 1 -3q66 46ac 1 1 -3lxw 46ad 1 1 -3m0p 46ae 1 1 -3gvd 46af
1 1 -3svy 46ag 1 1 -3lxd 46ah 1 1 -3lxa 46ai 1 1 -3lx5 46aj 1 1 -3lvh 46ak 1 1 -3lvt 46al 1 1 -12xm 46am 1 1
-3ul1 46an 1 1 -3lr9 46ao 1 1 -3luj 46ap 1 1 -3lov 46aq 1 1 -3lnh 46ar 1 1 -12t2 46as 1 1 -3lna 46at 1 1 -3lqe
46au 1 1 -3ljm 46av 1 1 -3uiy 46aw 1 1 -3lie 46ax 1 1 -3lfq 46ay 1 1 -3lds 46az 1 1 -3l8j 46b0 1 1 -12dl 46b1
1 1 -3l76 46b2 1 1 -3ufq 46b3 1 1 -3l5a 46b4 1 1 -11zd 46b5 1 1 -3l3x 46b6 1 1 -3uec 46b7 1 1 -3l35 46b8 1 1
-3l1x 46b9 2 1 -3l17 46bb 1 1 -11m2 46bc 1 1 -17fx 46bd 1 1 -11j3 46be 1 1 -3kx8 46bf 1 1 -116n 46bg 1 1 -3ku5
46bh 1 1 -3kts 46bi 1 1 -3kwn 46bj 1 1 -3krt 46bk 1 1 -3kqq 46bl 1 1 -3kp6 46bm 1 1 -3kqp 46bn 1 1 -3kpm 46bo
1 1 -3kp8 46bp 1 1 -3kow 46bq 1 1 -1148 46br 1 1 -3kr7 46bs 1 1 -3kk9 46bt 1 1 -3kij 46bu 1 1 -3u8n 46bv 1 1
-3kg0 46bw 1 1 -3kg5 46bx 1 1 -10sc 46by 1 1 -3klx 46bz 1 1 -3kbl 46c0 1 1 -10oi 46c1 1 1 -10n7 46c2 1 1 -3k98
46c3 1 1 -3k62 46c4 1 1 -3k6u 46c5 1 1 -3k6y 46c6 1 1 -3u68 46c7 1 1 -3k5p 46c8 1 1 -3k4b 46c9 1 1 -3k4i 46ca
1 1 -3k31 46cb 1 1 -1c6u 46cc 1 1 -3jyv 46cd 1 1 -103e 46ce 1 1 -3jwi 46cf 1 1 -zuc 46cg 1 1 -3jso 46ch 1 1
-3jsc 46ci 1 1 -3jrm 46cj 1 1 -zdn 46ck 1 1 -3jqc 46cl 1 1 -3jps 46cm 1 1 -z5d 46cn 1 1 -yz7 46co 1 1 -3jji
46cp 1 1 -3jj2 46cq 1 1 -3tz2 46cr 1 1 -3jie 46cs 1 1 -3tys 46ct 1 1 -3tyt 46cu 1 1 -3jdz 46cv 1 1 -3jdf 46cw
1 1 -3jcv 46cx 1 1 -3jcc 46cy 1 1 -3jag 46cz 1 1 -3tw8 46d0 1 1 -3j80 46d1 1 1 -y67 46d2 1 1 -3j7c 46d3 1 1
-y3p 46d4 1 1 -3j60 46d5 1 1 -16l6 46d6 1 1 -3j1m 46d7 1 1 -xi2 46d8 1 1 -xhg 46d9 1 1 -xdl 46da 1 1 -3tqa
46db 1 1 -3tpz 46dc 1 1 -3ivg 46dd 1 1 -x8u 46de 1 1 -x8w 46df 1 1 -x7u 46dg 1 1 -x75 46dh 2 1 -3iuf 46dj 1 1
-3iug 46dk 1 1 -3ita 46dl 1 1 -3tow 46dm 1 1 -3irj 46dn 1 1 -3tol 46do 1 1 -3tme 46dp 1 1 -wmo 46dq 1 1 -3im8
46dr 1 1 -3ikj 46ds 1 1 -3iis 46dt 1 1 -3tke 46du 1 1 -w8c 46dv 1 1 -3if1 46dw 1 1 -w56 46dx 1 1 -w40 46dy 1 1
-3idj 46dz 1 1 -3ib0 46e0 1 1 -3tih 46e1 1 1 -3i8p 46e2 1 1 -3i8g 46e3 1 1 -3i8c 46e4 1 1 -vkw 46e5 1 1 -vcm
46e6 1 1 -vcn 46e7 1 1 -3i41 46e8 1 1 -3tcu 46e9 1 1 -v5i 46ea 1 1 -3hy4 46eb 1 1 -3hy2 46ec 1 1 -3tbx 46ed 1
1 -uzp 46ee 1 1 -3hqs 46ef 1 1 -3t8n 46eg 1 1 -3hq8 46eh 1 1 -3hqe 46ei 1 1 -3hpm 46ej 1 1 -ued 46ek 1 1 -3hmx
46el 1 1 -3t64 46em 1 1 -3hk7 46en 1 1 -3hil 46eo 1 1 -3hgr 46ep 1 1 -3t4t 46eq 1 1 -tvu 46er 1 1 -tv0 46es 1
1 -3t3v 46et 1 1 -tr0 46eu 1 1 -3h8c 46ev 1 1 -to9 46ew 1 1 -3h7n 46ex 1 1 -3h4v 46ey 1 1 -3h4l 46ez 1 1 -tcx
46f0 1 1 -tax 46f1 1 1 -3h25 46f2 1 1 -t7a 46f3 1 1 -3h1r 46f4 1 1 -134x 46f5 1 1 -3t0s 46f6 1 1 -3h00 46f7 1
1 -3gxs 46f8 1 1 -3szd 46f9 1 1 -3gw7 46fa 1 1 -3oi9 46fb 1 1 -stc 46fc 1 1 -ssz 46fd 1 1 -133q 46fe 1 1 -133i
46ff 1 1 -3gqy 46fg 1 1 -3gqw 46fh 1 1 -3e27 46fi 1 1 -3swz 46fj 1 1 -3gn2 46fk 1 1 -3gn9 46fl 1 1 -3gms 46fm
1 1 -3q3j 46fn 1 1 -3gma 46fo 1 1 -3gm9 46fp 1 1 -3gm0 46fq 1 1 -3gkw 46fr 1 1 -s4b 46fs 1 1 -3gkz 46ft 1 1
-3gjg 46fu 1 1 -3ghj 46fv 1 1 -3gfi 46fw 1 1 -3gjd 46fx 1 1 -3gf4 46fy 1 1 -3gdz 46fz 1 1 -3gaw 46g0 1 1 -3gi5
46g1 1 1 -3gev 46g2 1 1 -3geu 46g3 1 1 -3gef 46g4 1 1 -rxq 46g5 1 1 -rp6 46g6 1 1 -rtd 46g7 1 1 -3ssc 46g8 1 1
-3g6v 46g9 1 1 -3g6u 46ga 1 1 -3g5w 46gb 1 1 -qg1 46gc 1 1 -3g3s 46gd 1 1 -rcx 46ge 1 1 -3sr5 46gf 1 1 -3sr2
46gg 1 1 -r9b 46gh 1 1 -r1b 46gi 1 1 -3sqv 46gj 1 1 -3fxf 46gk 1 1 -3fx4 46gl 1 1 -3fwu 46gm 1 1 -3fwt 46gn 1
1 -3fv2 46go 1 1 -3fw0 46gp 1 1 -3fsb 46gq 1 1 -3ftk 46gr 1 1 -3fpe 46gs 1 1 -3fro 46gt 1 1 -3fpu 46gu 1 1
-3fp4 46gv 1 1 -3so8 46gw 1 1 -3fmn 46gx 1 1 -3fls 46gy 1 1 -3snd 46gz 1 1 -3fj7 46h0 1 1 -3fj5 46h1 1 1 -py6
46h2 1 1 -3ffz 46h3 1 1 -3fft 46h4 1 1 -3slv 46h5 1 1 -3ff3 46h6 1 1 -3w27 46h7 1 1 -pi5 46h8 1 1 -pd2 46h9 1
1 -3si7 46ha 1 1 -3shz 46hb 1 1 -3f3j 46hc 1 1 -3f1f 46hd 1 1 -3ex3 46he 1 1 -3erh 46hf 1 1 -oq3 46hg 1 1
-3ep5 46hh 1 1 -3eok 46hi 1 1 -3em3 46hj 1 1 -3ejk 46hk 1 1 -o89 46hl 1 1 -1brp 46hm 1 1 -3ehb 46hn 1 1 -3ehr
46ho 1 1 -3egc 46hp 1 1 -1blr 46hq 1 1 -3ea2 46hr 1 1 -3e7b 46hs 1 1 -mxa 46ht 1 1 -mwk 46hu 1 1 -3dxq 46hv 1
1 -3dv6 46hw 1 1 -3dub 46hx 1 1 -mnr 46hy 1 1 -3du3 46hz 1 1 -3dm7 46i0 2 1 -3dht 46i2 1 1 -3dke 46i3 1 1
-3d9u 46i4 1 1 -3d93 46i5 1 1 -lpv 46i6 1 1 -3cyr 46i7 1 1 -3ryy 46i8 1 1 -3cxl 46i9 1 1 -lfe 46ia 1 1 -3rws
46ib 1 1 -3cq8 46ic 1 1 -3o02 46id 1 1 -3cnm 46ie 1 1 -koh 46if 1 1 -kil 46ig 1 1 -3rt6 46ih 1 1 -3rsz 46ii 1
1 -3cii 46ij 1 1 -k4x 46ik 1 1 -3rre 46il 1 1 -k13 46im 1 1 -3chf 46in 1 1 -3chg 46io 1 1 -3cgn 46ip 1 1 -jt7
46iq 1 1 -3cbk 46ir 1 1 -3ro0 46is 1 1 -3c9n 46it 1 1 -3c66 46iu 1 1 -3c5g 46iv 1 1 -3c3t 46iw 1 1 -3rju 46ix
1 1 -iqh 46iy 1 1 -3bw8 46iz 1 1 -3bnv 46j0 1 1 -3bin 46j1 1 1 -3rcv 46j2 1 1 -3rc1 46j3 1 1 -3bfs 46j4 1 1
-hmq 46j5 1 1 -3rbt 46j6 1 1 -hl9 46j7 1 1 -hdx 46j8 1 1 -hab 46j9 1 1 -3b6i 46ja 1 1 -3r9c 46jb 1 1 -3b4u
46jc 1 1 -3b4q 46jd 1 1 -3b4k 46je 1 1 -3b4b 46jf 1 1 -3b45 46jg 1 1 -3b35 46jh 1 1 -gm5
`;

/** Code points that NFKD without combining marks replaces by several code points or by none. For each: the code point, the number of replacements, the replacements. As `packedNumbers` reads them. */
export const strippedExpansions = `
58 3 1d 6dg 1g 59 3 1d 6dg 1e 5a 3 1f 6dg 1g 8i 2 21 22 8j 2 2x 2y 8v 2 24 53 8w 2 30 53 95 2 jg 32 ck 2 1w 2i
cl 2 1w 3e cm 2 2s 3e cn 2 24 22 co 2 24 2y cp 2 30 2y cq 2 26 22 cr 2 26 2y cs 2 32 2y dt 2 1w 2i du 2 1w 3e
dv 2 2s 3e n8 0 13b 2 12d 136 19x 2 17r 19w 19y 2 18o 19w 19z 2 1c7 19w 1a0 2 18q 19w 1xn 2 1xj 1xa 1xo 2 1xj
1xz 288 2 287 28m 28b 2 287 27y 28c 2 287 28n 2ac 2 2aa 2c7 2bu 2 2bq 2bi 2bv 2 2br 2bi 2bw 2 2bq 2c7 2io 2
2in 2j9 2iv 2 2iu 2j9 2iw 2 2iu 2ja 2iy 2 2iu 2iq 2iz 3 2iu 2iq 2j9 2mi 2 2me 2m6 2mj 2 2mf 2m6 2mk 2 2me 2mv
2qk 2 2qh 2q7 2ql 2 2qh 2q7 2qm 2 2qh 2qn 2sz 2 2tp 2sy 2wj 2 2x9 2wi 2xo 2 2wb 2vt 2xp 2 2wb 2w1 30j 2 30i
33r 30t 2 30s 33r 30y 2 30x 33r 313 2 312 33r 318 2 317 33r 31l 2 30g 33p 31v 0 31x 0 329 0 32r 2 32q 33r 331
2 330 33r 336 2 335 33r 33b 2 33a 33r 33g 2 33f 33r 33t 2 32o 33p 36u 2 36t 372 5c6 2 5c5 5dh 5c8 2 5c7 5dh
5ca 2 5c9 5dh 5cc 2 5cb 5dh 5ce 2 5cd 5dh 5ci 2 5ch 5dh 5dn 2 5dm 5dh 5dp 2 5do 5dh 5ds 2 5dq 5dh 5dt 2 5dr
5dh 5dv 2 5du 5dh 61m 2 2p ji 6cl 2 1a 1a 6cm 3 1a 1a 1a 6cz 2 6cy 6cy 6d0 3 6cy 6cy 6cy 6d2 2 6d1 6d1 6d3 3
6d1 6d1 6d1 6d8 2 x x 6dj 2 1r 1r 6dk 2 1r x 6dl 2 x 1r 6dz 4 6cy 6cy 6cy 6cy 6g8 2 2a 37 6io 3 2p 1b 2r 6ip 3
2p 1b 37 6ir 2 4w 1v 6it 3 2r 1b 33 6iu 3 2r 1b 39 6ix 2 4w 1y 6ja 2 26 33 6jk 2 2b 25 6jl 3 2c 1x 24 6jm 2 2c
25 6kb 3 1y 1t 2g 6kw 3 1d 6dg 1j 6kx 3 1d 6dg 1l 6ky 4 1d 6dg 1d 1c 6kz 3 1d 6dg 1f 6l0 3 1e 6dg 1f 6l1 3 1d
6dg 1h 6l2 3 1e 6dg 1h 6l3 3 1f 6dg 1h 6l4 3 1g 6dg 1h 6l5 3 1d 6dg 1i 6l6 3 1h 6dg 1i 6l7 3 1d 6dg 1k 6l8 3
1f 6dg 1k 6l9 3 1h 6dg 1k 6la 3 1j 6dg 1k 6lb 2 1d 6dg 6ld 2 21 21 6le 3 21 21 21 6lf 2 21 2e 6lh 2 2e 21 6li
3 2e 21 21 6lj 4 2e 21 21 21 6lk 2 21 2g 6lm 2 2g 21 6ln 3 2g 21 21 6lt 2 2x 2x 6lu 3 2x 2x 2x 6lv 2 2x 3a 6lx
2 3a 2x 6ly 3 3a 2x 2x 6lz 4 3a 2x 2x 2x 6m0 2 2x 3c 6m2 2 3c 2x 6m3 3 3c 2x 2x 6mh 3 1c 6dg 1f 6r0 2 6qz 6qz
6r1 3 6qz 6qz 6qz 6r3 2 6r2 6r2 6r4 3 6r2 6r2 6r2 76x 2 1d 1c 76y 2 1d 1d 76z 2 1d 1e 770 2 1d 1f 771 2 1d 1g
772 2 1d 1h 773 2 1d 1i 774 2 1d 1j 775 2 1d 1k 776 2 1d 1l 777 2 1e 1c 778 3 14 1d 15 779 3 14 1e 15 77a 3 14
1f 15 77b 3 14 1g 15 77c 3 14 1h 15 77d 3 14 1i 15 77e 3 14 1j 15 77f 3 14 1k 15 77g 3 14 1l 15 77h 4 14 1d 1c
15 77i 4 14 1d 1d 15 77j 4 14 1d 1e 15 77k 4 14 1d 1f 15 77l 4 14 1d 1g 15 77m 4 14 1d 1h 15 77n 4 14 1d 1i 15
77o 4 14 1d 1j 15 77p 4 14 1d 1k 15 77q 4 14 1d 1l 15 77r 4 14 1e 1c 15 77s 2 1d 1a 77t 2 1e 1a 77u 2 1f 1a
77v 2 1g 1a 77w 2 1h 1a 77x 2 1i 1a 77y 2 1j 1a 77z 2 1k 1a 780 2 1l 1a 781 3 1d 1c 1a 782 3 1d 1d 1a 783 3 1d
1e 1a 784 3 1d 1f 1a 785 3 1d 1g 1a 786 3 1d 1h 1a 787 3 1d 1i 1a 788 3 1d 1j 1a 789 3 1d 1k 1a 78a 3 1d 1l 1a
78b 3 1e 1c 1a 78c 3 14 2p 15 78d 3 14 2q 15 78e 3 14 2r 15 78f 3 14 2s 15 78g 3 14 2t 15 78h 3 14 2u 15 78i 3
14 2v 15 78j 3 14 2w 15 78k 3 14 2x 15 78l 3 14 2y 15 78m 3 14 2z 15 78n 3 14 30 15 78o 3 14 31 15 78p 3 14 32
15 78q 3 14 33 15 78r 3 14 34 15 78s 3 14 35 15 78t 3 14 36 15 78u 3 14 37 15 78v 3 14 38 15 78w 3 14 39 15
78x 3 14 3a 15 78y 3 14 3b 15 78z 3 14 3c 15 790 3 14 3d 15 791 3 14 3e 15 8b0 4 6qz 6qz 6qz 6qz 8dw 3 1m 1m
1p 8dx 2 1p 1p 8dy 3 1p 1p 1p 9lr 2 9l4 9l6 9of 2 9mb 9mw 9vk 3 14 3cw 15 9vl 3 14 3cy 15 9vm 3 14 3cz 15 9vn
3 14 3d1 15 9vo 3 14 3d2 15 9vp 3 14 3d3 15 9vq 3 14 3d5 15 9vr 3 14 3d7 15 9vs 3 14 3d8 15 9vt 3 14 3da 15
9vu 3 14 3db 15 9vv 3 14 3dc 15 9vw 3 14 3dd 15 9vx 3 14 3de 15 9vy 4 14 3cw 3fl 15 9vz 4 14 3cy 3fl 15 9w0 4
14 3cz 3fl 15 9w1 4 14 3d1 3fl 15 9w2 4 14 3d2 3fl 15 9w3 4 14 3d3 3fl 15 9w4 4 14 3d5 3fl 15 9w5 4 14 3d7 3fl
15 9w6 4 14 3d8 3fl 15 9w7 4 14 3da 3fl 15 9w8 4 14 3db 3fl 15 9w9 4 14 3dc 3fl 15 9wa 4 14 3dd 3fl 15 9wb 4
14 3de 3fl 15 9wc 4 14 3d8 3fy 15 9wd 7 14 3d7 3ft 3d8 3fp 3hn 15 9we 6 14 3d7 3ft 3de 3fy 15 9wg 3 14 feo 15
9wh 3 14 fik 15 9wi 3 14 fex 15 9wj 3 14 h5n 15 9wk 3 14 fis 15 9wl 3 14 g31 15 9wm 3 14 fer 15 9wn 3 14 g2z
15 9wo 3 14 fh9 15 9wp 3 14 gg1 15 9wq 3 14 kco 15 9wr 3 14 m7f 15 9ws 3 14 ldg 15 9wt 3 14 kdk 15 9wu 3 14
ssx 15 9wv 3 14 h7j 15 9ww 3 14 k4l 15 9wx 3 14 kkq 15 9wy 3 14 kcp 15 9wz 3 14 ny6 15 9x0 3 14 glp 15 9x1 3
14 mm1 15 9x2 3 14 rs1 15 9x3 3 14 nz1 15 9x4 3 14 gc4 15 9x5 3 14 fkz 15 9x6 3 14 gos 15 9x7 3 14 i1y 15 9x8
3 14 nhf 15 9x9 3 14 flt 15 9xa 3 14 rt3 15 9xb 3 14 ggk 15 9xc 3 14 nzh 15 9xd 3 14 fm9 15 9xe 3 14 pnu 15
9xf 3 14 po3 15 9xs 3 28 2c 1x 9xt 2 1e 1d 9xu 2 1e 1e 9xv 2 1e 1f 9xw 2 1e 1g 9xx 2 1e 1h 9xy 2 1e 1i 9xz 2
1e 1j 9y0 2 1e 1k 9y1 2 1e 1l 9y2 2 1f 1c 9y3 2 1f 1d 9y4 2 1f 1e 9y5 2 1f 1f 9y6 2 1f 1g 9y7 2 1f 1h 9ym 2
3cw 3fl 9yn 2 3cy 3fl 9yo 2 3cz 3fl 9yp 2 3d1 3fl 9yq 2 3d2 3fl 9yr 2 3d3 3fl 9ys 2 3d5 3fl 9yt 2 3d7 3fl 9yu
2 3d8 3fl 9yv 2 3da 3fl 9yw 2 3db 3fl 9yx 2 3dc 3fl 9yy 2 3dd 3fl 9yz 2 3de 3fl 9z0 5 3da 3fl 3hz 3cw 3ft 9z1
4 3d8 3fy 3d7 3g4 9z2 2 3d7 3fy a0h 2 1f 1i a0i 2 1f 1j a0j 2 1f 1k a0k 2 1f 1l a0l 2 1g 1c a0m 2 1g 1d a0n 2
1g 1e a0o 2 1g 1f a0p 2 1g 1g a0q 2 1g 1h a0r 2 1g 1i a0s 2 1g 1j a0t 2 1g 1k a0u 2 1g 1l a0v 2 1h 1c a0w 2 1d
kco a0x 2 1e kco a0y 2 1f kco a0z 2 1g kco a10 2 1h kco a11 2 1i kco a12 2 1j kco a13 2 1k kco a14 2 1l kco
a15 3 1d 1c kco a16 3 1d 1d kco a17 3 1d 1e kco a18 2 20 2v a19 3 2t 36 2v a1a 2 2t 2e a1b 3 24 2c 1w a2n 2
fl0 gp8 a2o 4 9lu 9n3 9oc 9mw a2p 4 9lu 9nv 9n9 9lt a2q 4 9lu 9o3 9nc 9lu a2r 3 9lu 9oc 9nv a2s 4 9lw 9mz 9o3
9m7 a2t 3 9lw 9o3 9mp a2u 3 9ly 9m1 9o3 a2v 5 9m0 9mh 9m7 9oc 9mw a2w 4 9m0 9oc 9m3 9oc a2x 3 9m2 9o3 9mh a2y
3 9m2 9oc 9nk a2z 3 9m3 9lw 9nu a30 4 9m3 9nt 9mr 9mw a31 4 9m3 9nx 9nu 9oc a32 3 9m3 9nx 9o3 a33 3 9m3 9o3
9ni a34 2 9m5 9m3 a35 3 9m5 9mz 9oc a36 4 9m5 9np 9nu 9oc a37 4 9m5 9nv 9mn 9oc a38 2 9m5 9nx a39 5 9m5 9nx
9m7 9nt 9nk a3a 6 9m5 9nx 9nl 9oc 9mw 9nv a3b 5 9m5 9nx 9nz 9mr 9mw a3c 3 9m7 9nt 9nk a3d 5 9m7 9nt 9nk 9mw
9o3 a3e 5 9m7 9nv 9mj 9lw 9nx a3f 4 9m7 9nx 9oc 9n1 a3g 3 9m9 9oc 9mh a3h 3 9mb 9nv 9my a3i 3 9mb 9oc 9nf a3j
4 9md 9lw 9m7 9nv a3k 5 9md 9o3 9mp 9oc 9nk a3l 4 9mf 9nu 9o3 9m7 a3m 3 9mj 9o3 9mp a3n 3 9mj 9o3 9mw a3o 3
9mn 9oc 9mh a3p 2 9mu 9mf a3q 2 9mw 9nv a3r 2 9mw 9o3 a3s 2 9my 9n2 a3t 3 9n2 9mr 9mw a3u 3 9n3 9lw 9ms a3v 5
9n3 9oc 9mj 9o3 9mw a3w 3 9n3 9oc 9ms a3x 4 9n3 9oc 9nw 9nv a3y 5 9n6 9lu 9mh 9mw 9nv a3z 3 9n6 9m7 9nv a40 2
9n6 9mb a41 2 9n6 9nv a42 5 9n9 9lt 9nt 9mr 9mw a43 4 9n9 9lv 9oc 9mw a44 5 9n9 9mr 9mf 9lz 9nv a45 3 9n9 9nt
9o3 a46 5 9nc 9m7 9mn 9oc 9nv a47 2 9nc 9ml a48 3 9nc 9mz 9n6 a49 3 9nc 9nv 9ms a4a 3 9nc 9o3 9mh a4b 3 9nc
9oc 9mf a4c 3 9nc 9oc 9mn a4d 4 9nf 9lw 9o3 9mw a4e 3 9nf 9nv 9mw a4f 2 9nf 9o3 a4g 3 9nf 9o3 9mw a4h 3 9nf
9oc 9nv a4i 3 9nf 9oc 9o3 a4j 4 9ni 9lw 9m7 9nx a4k 3 9ni 9lw 9nv a4l 3 9ni 9mr 9n3 a4m 3 9ni 9nv 9m7 a4n 5
9ni 9o3 9mf 9nr 9o3 a4o 4 9nj 9m7 9nx 9o3 a4p 2 9nj 9nu a4q 5 9nj 9nu 9n3 9oc 9nv a4r 2 9nl 9m3 a4s 4 9nl 9m3
9mw 9o3 a4t 4 9nl 9oc 9mw 9nv a4u 3 9no 9oc 9mw a4v 3 9no 9oc 9nv a4w 3 9nq 9lu 9o3 a4x 4 9nu 9mr 9mw 9nv a4y
2 9nu 9nt a4z 3 9nv 9n6 9oc a50 4 9nv 9oc 9n9 9nv a51 2 9nw 9nk a52 5 9nw 9o3 9mw 9m9 9o3 a53 3 9nz 9mr 9mw
a54 2 1c m9l a55 2 1d m9l a56 2 1e m9l a57 2 1f m9l a58 2 1g m9l a59 2 1h m9l a5a 2 1i m9l a5b 2 1j m9l a5c 2
1k m9l a5d 2 1l m9l a5e 3 1d 1c m9l a5f 3 1d 1d m9l a5g 3 1d 1e m9l a5h 3 1d 1f m9l a5i 3 1d 1g m9l a5j 3 1d
1h m9l a5k 3 1d 1i m9l a5l 3 1d 1j m9l a5m 3 1d 1k m9l a5n 3 1d 1l m9l a5o 3 1e 1c m9l a5p 3 1e 1d m9l a5q 3
1e 1e m9l a5r 3 1e 1f m9l a5s 3 1e 1g m9l a5t 3 2w 28 2p a5u 2 2s 2p a5v 2 1t 2d a5w 3 2q 2p 36 a5x 2 33 2e
a5y 2 34 2r a5z 2 2s 31 a60 3 2s 31 1e a61 3 2s 31 1f a62 2 21 2d a63 2 inn jdc a64 2 k6l gp8 a65 2 hlz l7n
a66 2 k5q lh7 a67 4 kkq irz fmi ny6 a68 2 34 1t a69 2 32 1t a6a 2 qk 1t a6b 2 31 1t a6c 2 2z 1t a6d 2 23 1u
a6e 2 25 1u a6f 2 1z 1u a6g 3 2r 2p 30 a6h 4 2z 2r 2p 30 a6i 2 34 1y a6j 2 32 1y a6k 2 qk 1y a6l 2 qk 2v a6m 2
31 2v a6n 2 2z 2v a6o 2 20 3e a6p 3 2z 20 3e a6q 3 25 20 3e a6r 3 1z 20 3e a6s 3 2c 20 3e a6t 2 qk 30 a6u 2 31
30 a6v 2 2s 30 a6w 2 2z 30 a6x 2 2u 31 a6y 2 32 31 a6z 2 qk 31 a70 2 31 31 a71 2 2r 31 a72 2 2z 31 a73 3 31 31
1e a74 3 2r 31 1e a75 2 31 1e a76 3 2z 31 1e a77 3 31 31 1f a78 3 2r 31 1f a79 2 31 1f a7a 3 2z 31 1f a7b 3 31
6qd 37 a7c 4 31 6qd 37 1e a7d 2 28 2p a7e 3 2z 28 2p a7f 3 25 28 2p a7g 3 1z 28 2p a7h 3 36 2p 2s a7i 5 36 2p
2s 6qd 37 a7j 6 36 2p 2s 6qd 37 1e a7k 2 34 37 a7l 2 32 37 a7m 2 qk 37 a7n 2 31 37 a7o 2 34 2e a7p 2 32 2e a7q
2 qk 2e a7r 2 31 2e a7s 2 2z 2e a7t 2 25 2e a7u 2 34 2f a7v 2 32 2f a7w 2 qk 2f a7x 2 31 2f a7y 2 2z 2f a7z 2
25 2f a80 2 2z q1 a81 2 25 q1 a82 4 2p 1a 31 1a a83 2 1u 35 a84 2 2r 2r a85 2 2r 2s a86 4 1v 6qd 2z 2v a87 3
1v 33 1a a88 2 2s 1u a89 2 1z 3d a8a 2 2w 2p a8b 2 20 28 a8c 2 2x 32 a8d 2 23 23 a8e 2 23 25 a8f 2 2z 38 a8g 2
30 31 a8h 2 30 32 a8i 3 30 33 2v a8j 2 30 3c a8k 2 31 2q a8l 3 31 2x 30 a8m 3 31 33 30 a8n 2 28 20 a8o 4 34 1a
31 1a a8p 3 28 28 25 a8q 2 28 2a a8r 2 37 36 a8s 2 2b 3a a8t 2 2f 2q a8u 3 2e 6qd 31 a8v 3 1t 6qd 31 a8w 2 1d
k4l a8x 2 1e k4l a8y 2 1f k4l a8z 2 1g k4l a90 2 1h k4l a91 2 1i k4l a92 2 1j k4l a93 2 1k k4l a94 2 1l k4l
a95 3 1d 1c k4l a96 3 1d 1d k4l a97 3 1d 1e k4l a98 3 1d 1f k4l a99 3 1d 1g k4l a9a 3 1d 1h k4l a9b 3 1d 1i
k4l a9c 3 1d 1j k4l a9d 3 1d 1k k4l a9e 3 1d 1l k4l a9f 3 1e 1c k4l a9g 3 1e 1d k4l a9h 3 1e 1e k4l a9i 3 1e
1f k4l a9j 3 1e 1g k4l a9k 3 1e 1h k4l a9l 3 1e 1i k4l a9m 3 1e 1j k4l a9n 3 1e 1k k4l a9o 3 1e 1l k4l a9p 3
1f 1c k4l a9q 3 1f 1d k4l a9r 3 2v 2p 30 1dkw 2 2u 2u 1dkx 2 2u 2x 1dky 2 2u 30 1dkz 3 2u 2u 2x 1dl0 3 2u 2u
30 1dl1 2 37 38 1dl2 2 37 38 1dlf 2 12s 12u 1dlg 2 12s 12d 1dlh 2 12s 12j 1dli 2 132 12u 1dlj 2 12s 12l 1dn3 2
15c 15o 1dr1 2 1c7 19w 1dre 2 18q 17r 1drf 2 18q 17r 1drg 2 18q 1cl 1drh 2 18q 1cl 1dri 2 18q 18o 1drj 2 18q
18o 1drk 2 18q 1c7 1drl 2 18q 1c7 1drm 2 18q 1c6 1drn 2 18q 1c6 1dro 2 18q 1c8 1drp 2 18q 1c8 1drq 2 18q 1cg
1drr 2 18q 1cg 1drs 2 18q 1cg 1drt 2 18q 18p 1dru 2 18q 18p 1drv 2 18q 18p 1ds0 2 18q 17w 1ds1 2 18q 17x 1ds2
2 18q 18l 1ds3 2 18q 18p 1ds4 2 18q 18q 1ds5 2 17s 17w 1ds6 2 17s 17x 1ds7 2 17s 17y 1ds8 2 17s 18l 1ds9 2 17s
18p 1dsa 2 17s 18q 1dsb 2 17u 17w 1dsc 2 17u 17x 1dsd 2 17u 17y 1dse 2 17u 18l 1dsf 2 17u 18p 1dsg 2 17u 18q
1dsh 2 17v 17w 1dsi 2 17v 18l 1dsj 2 17v 18p 1dsk 2 17v 18q 1dsl 2 17w 17x 1dsm 2 17w 18l 1dsn 2 17x 17w 1dso
2 17x 18l 1dsp 2 17y 17w 1dsq 2 17y 17x 1dsr 2 17y 18l 1dss 2 183 17w 1dst 2 183 17x 1dsu 2 183 17y 1dsv 2 183
18l 1dsw 2 185 17x 1dsx 2 185 18l 1dsy 2 186 17w 1dsz 2 186 17x 1dt0 2 186 17y 1dt1 2 186 18l 1dt2 2 187 17x
1dt3 2 187 18l 1dt4 2 188 18l 1dt5 2 189 17w 1dt6 2 189 18l 1dt7 2 18a 17w 1dt8 2 18a 18l 1dt9 2 18h 17w 1dta
2 18h 17x 1dtb 2 18h 17y 1dtc 2 18h 18l 1dtd 2 18h 18p 1dte 2 18h 18q 1dtf 2 18i 17x 1dtg 2 18i 18l 1dth 2 18i
18p 1dti 2 18i 18q 1dtj 2 18j 17r 1dtk 2 18j 17w 1dtl 2 18j 17x 1dtm 2 18j 17y 1dtn 2 18j 18k 1dto 2 18j 18l
1dtp 2 18j 18p 1dtq 2 18j 18q 1dtr 2 18k 17w 1dts 2 18k 17x 1dtt 2 18k 17y 1dtu 2 18k 18l 1dtv 2 18k 18p 1dtw
2 18k 18q 1dtx 2 18l 17w 1dty 2 18l 17x 1dtz 2 18l 17y 1du0 2 18l 18l 1du1 2 18l 18p 1du2 2 18l 18q 1du3 2 18m
17w 1du4 2 18m 17x 1du5 2 18m 17y 1du6 2 18m 18l 1du7 2 18m 18p 1du8 2 18m 18q 1du9 2 18n 17w 1dua 2 18n 18l
1dub 2 18n 18p 1duc 2 18n 18q 1dud 2 18q 17w 1due 2 18q 17x 1duf 2 18q 17y 1dug 2 18q 18l 1duh 2 18q 18p 1dui
2 18q 18q 1dus 2 18q 181 1dut 2 18q 182 1duu 2 18q 18l 1duv 2 18q 18m 1duw 2 18q 18p 1dux 2 18q 18q 1duy 2 17s
181 1duz 2 17s 182 1dv0 2 17s 18l 1dv1 2 17s 18m 1dv2 2 17s 18p 1dv3 2 17s 18q 1dv4 2 17u 181 1dv5 2 17u 182
1dv6 2 17u 18l 1dv7 2 17u 18m 1dv8 2 17u 18p 1dv9 2 17u 18q 1dva 2 17v 181 1dvb 2 17v 182 1dvc 2 17v 18l 1dvd
2 17v 18m 1dve 2 17v 18p 1dvf 2 17v 18q 1dvg 2 18h 18p 1dvh 2 18h 18q 1dvi 2 18i 18p 1dvj 2 18i 18q 1dvk 2 18j
17r 1dvl 2 18j 18k 1dvm 2 18j 18l 1dvn 2 18j 18p 1dvo 2 18j 18q 1dvp 2 18k 18l 1dvq 2 18k 18p 1dvr 2 18k 18q
1dvs 2 18l 17r 1dvt 2 18l 18l 1dvu 2 18m 181 1dvv 2 18m 182 1dvw 2 18m 18l 1dvx 2 18m 18m 1dvy 2 18m 18p 1dvz
2 18m 18q 1dw1 2 18q 181 1dw2 2 18q 182 1dw3 2 18q 18l 1dw4 2 18q 18m 1dw5 2 18q 18p 1dw6 2 18q 18q 1dw7 2 18q
17w 1dw8 2 18q 17x 1dw9 2 18q 17y 1dwa 2 18q 18l 1dwb 2 18q 18n 1dwc 2 17s 17w 1dwd 2 17s 17x 1dwe 2 17s 17y
1dwf 2 17s 18l 1dwg 2 17s 18n 1dwh 2 17u 17w 1dwi 2 17u 17x 1dwj 2 17u 17y 1dwk 2 17u 18l 1dwl 2 17u 18n 1dwm
2 17v 18l 1dwn 2 17w 17x 1dwo 2 17w 18l 1dwp 2 17x 17w 1dwq 2 17x 18l 1dwr 2 17y 17w 1dws 2 17y 18l 1dwt 2 183
17w 1dwu 2 183 17x 1dwv 2 183 17y 1dww 2 183 18l 1dwx 2 185 17x 1dwy 2 185 17y 1dwz 2 185 18l 1dx0 2 186 17w
1dx1 2 186 17x 1dx2 2 186 17y 1dx3 2 186 18l 1dx4 2 187 17x 1dx5 2 188 18l 1dx6 2 189 17w 1dx7 2 189 18l 1dx8
2 18a 17w 1dx9 2 18a 18l 1dxa 2 18h 17w 1dxb 2 18h 17x 1dxc 2 18h 17y 1dxd 2 18h 18l 1dxe 2 18i 17x 1dxf 2 18i
18l 1dxg 2 18j 17w 1dxh 2 18j 17x 1dxi 2 18j 17y 1dxj 2 18j 18k 1dxk 2 18j 18l 1dxl 2 18k 17w 1dxm 2 18k 17x
1dxn 2 18k 17y 1dxo 2 18k 18l 1dxp 2 18k 18n 1dxq 2 18l 17w 1dxr 2 18l 17x 1dxs 2 18l 17y 1dxt 2 18l 18l 1dxu
2 18m 17w 1dxv 2 18m 17x 1dxw 2 18m 17y 1dxx 2 18m 18l 1dxy 2 18m 18n 1dxz 2 18n 17w 1dy0 2 18n 18l 1dy2 2 18q
17w 1dy3 2 18q 17x 1dy4 2 18q 17y 1dy5 2 18q 18l 1dy6 2 18q 18n 1dy7 2 18q 18l 1dy8 2 18q 18n 1dy9 2 17s 18l
1dya 2 17s 18n 1dyb 2 17u 18l 1dyc 2 17u 18n 1dyd 2 17v 18l 1dye 2 17v 18n 1dyf 2 183 18l 1dyg 2 183 18n 1dyh
2 184 18l 1dyi 2 184 18n 1dyj 2 18j 18k 1dyk 2 18j 18l 1dyl 2 18k 18l 1dym 2 18m 18l 1dyn 2 18m 18n 1dyo 2 18q
18l 1dyp 2 18q 18n 1dyt 2 187 18p 1dyu 2 187 18q 1dyv 2 189 18p 1dyw 2 189 18q 1dyx 2 18a 18p 1dyy 2 18a 18q
1dyz 2 183 18p 1dz0 2 183 18q 1dz1 2 184 18p 1dz2 2 184 18q 1dz3 2 17x 18p 1dz4 2 17x 18q 1dz5 2 17w 18p 1dz6
2 17w 18q 1dz7 2 17y 18p 1dz8 2 17y 18q 1dz9 2 185 18p 1dza 2 185 18q 1dzb 2 186 18p 1dzc 2 186 18q 1dzd 2 184
17w 1dze 2 184 17x 1dzf 2 184 17y 1dzg 2 184 18l 1dzh 2 184 181 1dzi 2 183 181 1dzj 2 185 181 1dzk 2 186 181
1dzl 2 187 18p 1dzm 2 187 18q 1dzn 2 189 18p 1dzo 2 189 18q 1dzp 2 18a 18p 1dzq 2 18a 18q 1dzr 2 183 18p 1dzs
2 183 18q 1dzt 2 184 18p 1dzu 2 184 18q 1dzv 2 17x 18p 1dzw 2 17x 18q 1dzx 2 17w 18p 1dzy 2 17w 18q 1dzz 2 17y
18p 1e00 2 17y 18q 1e01 2 185 18p 1e02 2 185 18q 1e03 2 186 18p 1e04 2 186 18q 1e05 2 184 17w 1e06 2 184 17x
1e07 2 184 17y 1e08 2 184 18l 1e09 2 184 181 1e0a 2 183 181 1e0b 2 185 181 1e0c 2 186 181 1e0d 2 184 17w 1e0e
2 184 17x 1e0f 2 184 17y 1e0g 2 184 18l 1e0h 2 183 18n 1e0i 2 184 18n 1e0j 2 187 18l 1e0k 2 183 17w 1e0l 2 183
17x 1e0m 2 183 17y 1e0n 2 184 17w 1e0o 2 184 17x 1e0p 2 184 17y 1e0q 2 187 18l 1e0r 2 188 18l 1e1c 3 17u 17w
18l 1e1d 3 17u 17x 17w 1e1e 3 17u 17x 17w 1e1f 3 17u 17x 18l 1e1g 3 17u 17y 18l 1e1h 3 17u 18l 17w 1e1i 3 17u
18l 17x 1e1j 3 17u 18l 17y 1e1k 3 17w 18l 17x 1e1l 3 17w 18l 17x 1e1m 3 17x 18l 18q 1e1n 3 17x 18l 18p 1e1o 3
183 17x 17w 1e1p 3 183 17w 17x 1e1q 3 183 17w 18p 1e1r 3 183 18l 17x 1e1s 3 183 18l 17x 1e1t 3 183 18l 17w
1e1u 3 183 18l 18l 1e1v 3 183 18l 18l 1e1w 3 185 17x 17x 1e1x 3 185 17x 17x 1e1y 3 185 18l 18l 1e1z 3 184 17x
18l 1e20 3 184 17x 18l 1e21 3 184 17w 18q 1e22 3 184 18l 17y 1e23 3 184 18l 17y 1e24 3 184 18l 18l 1e25 3 184
18l 18l 1e26 3 186 17x 18p 1e27 3 186 17y 18l 1e28 3 186 17y 18l 1e29 3 187 18l 17x 1e2a 3 187 18l 17x 1e2b 3
187 18l 18l 1e2c 3 187 18l 18q 1e2d 3 189 17w 18l 1e2e 3 189 18l 18l 1e2f 3 189 18l 18l 1e2g 3 189 18l 18p
1e2h 3 18a 18l 18l 1e2i 3 18a 18l 18q 1e2j 3 18a 18l 18p 1e2k 3 18h 17y 18l 1e2l 3 18h 17y 18l 1e2m 3 18i 18l
17x 1e2n 3 18i 18l 18l 1e2o 3 18k 17x 18l 1e2p 3 18k 17x 18q 1e2q 3 18k 17x 18p 1e2r 3 18k 17w 17w 1e2s 3 18k
17w 17w 1e2t 3 18k 17y 18l 1e2u 3 18k 17y 18l 1e2v 3 18k 18l 17x 1e2w 3 18k 18l 17x 1e2x 3 18l 17x 17w 1e2y 3
18l 17x 18l 1e2z 3 18l 17x 18q 1e30 3 18l 17w 17x 1e31 3 18l 17w 18l 1e32 3 18l 17y 17w 1e33 3 18l 17y 18l
1e36 3 18l 17w 17y 1e37 3 18n 18l 17w 1e38 3 18n 18l 18l 1e39 3 18m 17x 18l 1e3a 3 18m 17x 18p 1e3b 3 18m 17w
18l 1e3c 3 18m 17w 18l 1e3d 3 18m 17w 18p 1e3e 3 18m 18l 18q 1e3f 3 18m 18l 18p 1e3g 3 18q 18l 18l 1e3h 3 18q
18l 18l 1e3i 3 17s 17y 18q 1e3j 3 17u 17w 18q 1e3k 3 17u 17w 18p 1e3l 3 17u 17y 18q 1e3m 3 17u 17y 18p 1e3n 3
17u 18l 18q 1e3o 3 17u 18l 18p 1e3p 3 17w 18l 18q 1e3q 3 17w 17x 18p 1e3r 3 17w 18l 18p 1e3s 3 183 17y 18p
1e3t 3 185 17x 18q 1e3u 3 184 17x 18q 1e3v 3 186 17x 18q 1e3w 3 18k 17w 18q 1e3x 3 18k 18l 18q 1e3y 3 18q 17x
18q 1e3z 3 18q 17w 18q 1e40 3 18q 18l 18q 1e41 3 18l 18l 18q 1e42 3 18i 18l 18q 1e43 3 18m 17x 18q 1e44 3 18i
18l 17x 1e45 3 18k 17x 18l 1e46 3 189 18l 18q 1e47 3 18j 18l 18q 1e48 3 18m 17w 17x 1e49 3 18l 17y 18q 1e4a 3
18k 17w 18l 1e4b 3 18j 18l 18l 1e4c 3 18k 17w 18l 1e4d 3 18m 17w 17x 1e4e 3 17w 17x 18q 1e4f 3 17x 17w 18q
1e4g 3 18l 17w 18q 1e4h 3 18h 18l 18q 1e4i 3 17s 17x 18q 1e4j 3 18j 18l 18l 1e4k 3 189 17w 18l 1e4l 3 185 18l
18l 1e4m 3 183 17y 18q 1e4n 3 18m 17w 18q 1e5s 3 185 18k 1ci 1e5t 3 18i 18k 1ci 1e5u 4 17r 18k 18k 18n 1e5v 4
17r 18j 17s 181 1e5w 4 18l 17x 18l 17z 1e5x 4 185 18k 189 18l 1e5y 4 181 183 18o 18k 1e5z 4 189 18k 18q 18n
1e60 4 18o 183 18k 18l 1e61 3 185 18k 18p 1e62 i 185 18k 18p w 17r 18k 18k 18n w 189 18k 18q 18n w 18o 183 18k
18l 1e63 8 17w 18k w 17w 18k 17r 18k 18n 1e64 4 181 1cc 17r 18k 1e6x 3 1a 1a 1a 1e7k 2 1a 1a 1ed1 2 18k 17r
1ed2 2 18k 17r 1ed3 2 18k 17r 1ed4 2 18k 17r 1ed5 2 18k 17r 1ed6 2 18k 17r 1ed7 2 18k 17r 1ed8 2 18k 17r 1ehq
0 1ehr 0 1hym 2 1hyp 1hyf 1hyn 2 1hyq 1hyf 1idn 2 1idj 1ida 1ido 2 1idj 1idz 1if7 2 1if6 1ih5 1if9 2 1if8 1igr
1ifi 2 1iff 1igy 1ifl 2 1ifk 1ih5 1ih1 2 1igy 1igy 1ih3 2 1igy 1igo 1ih4 2 1igy 1ih5 1inv 2 1int 1inu 1inw 2
1int 1ink 1iny 2 1int 1inx 1iuy 2 1iuw 1iun 1iuz 2 1iux 1iun 1jjs 2 1jjp 1jjk 1xr5 2 1xr2 1xr2 1xr6 2 1xr2
1xrd 1xr7 2 1xr2 1xr3 1xr8 2 1xrd 1xr3 1xr9 2 1xr2 1xr4 1xra 3 1xr2 1xr2 1xr3 1xrb 3 1xr2 1xrd 1xr3 1xrc 3
1xr2 1xr2 1xr4 206g 2 206f 206f 206h 2 206b 206f 206i 3 206b 206f 206f 2q68 2 1c 1a 2q69 2 1c 18 2q6a 2 1d 18
2q6b 2 1e 18 2q6c 2 1f 18 2q6d 2 1g 18 2q6e 2 1h 18 2q6f 2 1i 18 2q6g 2 1j 18 2q6h 2 1k 18 2q6i 2 1l 18 2q6o 3
14 1t 15 2q6p 3 14 1u 15 2q6q 3 14 1v 15 2q6r 3 14 1w 15 2q6s 3 14 1x 15 2q6t 3 14 1y 15 2q6u 3 14 1z 15 2q6v
3 14 20 15 2q6w 3 14 21 15 2q6x 3 14 22 15 2q6y 3 14 23 15 2q6z 3 14 24 15 2q70 3 14 25 15 2q71 3 14 26 15
2q72 3 14 27 15 2q73 3 14 28 15 2q74 3 14 29 15 2q75 3 14 2a 15 2q76 3 14 2b 15 2q77 3 14 2c 15 2q78 3 14 2d
15 2q79 3 14 2e 15 2q7a 3 14 2f 15 2q7b 3 14 2g 15 2q7c 3 14 2h 15 2q7d 3 14 2i 15 2q7e 3 9hw 2b 9hx 2q7h 2 1v
1w 2q7i 2 2f 2i 2q8a 2 20 2e 2q8b 2 25 2e 2q8c 2 2b 1w 2q8d 2 2b 2b 2q8e 3 28 28 2e 2q8f 2 2f 1v 2q96 2 25 1v
2q97 2 25 1w 2q98 2 25 2a 2qa8 2 1w 22 2qdc 2 9kr 9jf 2qdd 2 9mb 9mb 2qf4 3 9hw kdo 9hx 2qf5 3 9hw fex 9hx
2qf6 3 9hw fik 9hx 2qf7 3 9hw i2x 9hx 2qf8 3 9hw m9l 9hx 2qf9 3 9hw jf7 9hx 2qfa 3 9hw nh3 9hx 2qfb 3 9hw gd9
9hx 2qfc 3 9hw k0n 9hx
`;

/** Runs of Latin, Greek and Cyrillic letters with diacritics, mapped to the letter without them: first, count, step, delta. As `packedNumbers` reads them. */
export const accentedRuns = `
5c 1 1 -3j 5d 1 1 -3k 5e 1 1 -3l 5f 1 1 -3m 5g 1 1 -3n 5h 2 2 -3o 5k 1 1 -3n 5l 1 1 -3o 5m 1 1 -3p 5n 1 1 -3q
5o 1 1 -3n 5p 1 1 -3o 5q 1 1 -3p 5r 1 1 -3q 5t 2 1 -3n 5v 1 1 -3o 5w 1 1 -3p 5x 1 1 -3q 5y 1 1 -3r 61 1 1 -3o
62 1 1 -3p 63 1 1 -3q 64 1 1 -3r 65 1 1 -3o 68 1 1 -3j 69 1 1 -3k 6a 1 1 -3l 6b 1 1 -3m 6c 1 1 -3n 6d 2 2 -3o
6g 1 1 -3n 6h 1 1 -3o 6i 1 1 -3p 6j 1 1 -3q 6k 1 1 -3n 6l 1 1 -3o 6m 1 1 -3p 6n 1 1 -3q 6p 2 1 -3n 6r 1 1 -3o
6s 1 1 -3p 6t 1 1 -3q 6u 1 1 -3r 6x 1 1 -3o 6y 1 1 -3p 6z 1 1 -3q 70 1 1 -3r 71 1 1 -3o 73 1 1 -3q 74 1 1 -5b
75 1 1 -4g 76 1 1 -5d 77 1 1 -4i 78 1 1 -5f 79 1 1 -4k 7a 1 1 -5f 7b 1 1 -4k 7c 1 1 -5h 7d 1 1 -4m 7e 1 1 -5j
7f 1 1 -4o 7g 1 1 -5l 7h 1 1 -4q 7i 1 1 -5m 7j 1 1 -4r 7m 1 1 -5p 7n 1 1 -4u 7o 1 1 -5r 7p 1 1 -4w 7q 1 1 -5t
7r 1 1 -4y 7s 1 1 -5v 7t 1 1 -50 7u 1 1 -5x 7v 1 1 -52 7w 1 1 -5x 7x 1 1 -52 7y 1 1 -5z 7z 1 1 -54 80 1 1 -61
81 1 1 -56 82 1 1 -63 83 1 1 -58 84 1 1 -64 85 1 1 -59 88 1 1 -67 89 1 1 -5c 8a 1 1 -69 8b 1 1 -5e 8c 1 1 -6b
8d 1 1 -5g 8e 1 1 -6d 8f 1 1 -5i 8g 1 1 -6f 8k 1 1 -6i 8l 1 1 -5n 8m 1 1 -6j 8n 1 1 -5o 8p 1 1 -6l 8q 1 1 -5q
8r 1 1 -6n 8s 1 1 -5s 8t 1 1 -6p 8u 1 1 -5u 8z 1 1 -6t 90 1 1 -5y 91 1 1 -6v 92 1 1 -60 93 1 1 -6x 94 1 1 -62
98 1 1 -71 99 1 1 -66 9a 1 1 -73 9b 1 1 -68 9c 1 1 -75 9d 1 1 -6a 9g 1 1 -76 9h 1 1 -6b 9i 1 1 -78 9j 1 1 -6d
9k 1 1 -7a 9l 1 1 -6f 9m 1 1 -7b 9n 1 1 -6g 9o 1 1 -7d 9p 1 1 -6i 9q 1 1 -7f 9r 1 1 -6k 9s 1 1 -7h 9t 1 1 -6m
9u 1 1 -7i 9v 1 1 -6n 9w 1 1 -7k 9x 1 1 -6p a0 1 1 -7n a1 1 1 -6s a2 1 1 -7p a3 1 1 -6u a4 1 1 -7r a5 1 1 -6w
a6 1 1 -7t a7 1 1 -6y a8 1 1 -7v a9 1 1 -70 aa 1 1 -7x ab 1 1 -72 ac 1 1 -7x ad 1 1 -72 ae 1 1 -7x af 1 1 -72
ag 2 1 -7z ai 1 1 -74 aj 1 1 -81 ak 1 1 -76 al 1 1 -83 am 1 1 -78 bk 1 1 -9d bl 1 1 -8i bz 1 1 -9m c0 1 1 -8r
ct 1 1 -b0 cu 1 1 -a5 cv 1 1 -au cw 1 1 -9z cx 1 1 -aq cy 1 1 -9v cz 1 1 -am d0 1 1 -9r d1 1 1 -ao d2 1 1 -9t
d3 1 1 -aq d4 1 1 -9v d5 1 1 -as d6 1 1 -9x d7 1 1 -au d8 1 1 -9z da 1 1 -bh db 1 1 -am dc 1 1 -bj dd 1 1 -ao
de 1 1 -7w df 1 1 -71 di 1 1 -bj dj 1 1 -ao dk 1 1 -bh dl 1 1 -am dm 1 1 -bf dn 1 1 -ak do 1 1 -bh dp 1 1 -am
dq 1 1 -1j dr 1 1 4j ds 1 1 -au dw 1 1 -bx dx 1 1 -b2 e0 1 1 -bu e1 1 1 -az e2 1 1 -c9 e3 1 1 -be e4 1 1 -8m
e5 1 1 -7r e6 1 1 -86 e7 1 1 -7b e8 1 1 -cf e9 1 1 -bk ea 1 1 -ch eb 1 1 -bm ec 1 1 -cf ed 1 1 -bk ee 1 1 -ch
ef 1 1 -bm eg 1 1 -cf eh 1 1 -bk ei 1 1 -ch ej 1 1 -bm ek 1 1 -cd el 1 1 -bi em 1 1 -cf en 1 1 -bk eo 1 1 -ce
ep 1 1 -bj eq 1 1 -cg er 1 1 -bl es 1 1 -cf et 1 1 -bk eu 1 1 -ch ev 1 1 -bm ew 1 1 -cl ex 1 1 -bq ey 1 1 -cm
ez 1 1 -br f2 1 1 -d2 f3 1 1 -c7 fa 1 1 -dh fb 1 1 -cm fc 1 1 -df fd 1 1 -ck fe 1 1 -d7 ff 1 1 -cc fg 1 1 -d9
fh 1 1 -ce fi 1 1 -db fj 1 1 -cg fk 1 1 -dd fl 1 1 -ci fm 1 1 -d5 fn 1 1 -ca p2 1 1 b p4 1 1 d p5 1 1 e p6 1 1
f p8 1 1 j pa 1 1 n pb 1 1 q pc 1 1 15 q2 1 1 -h q3 1 1 -6 q4 1 1 5 q5 1 1 8 q6 1 1 9 q7 1 1 a q8 1 1 l qy 1 1
-h qz 1 1 -6 r0 1 1 -d r1 1 1 -8 r2 1 1 -5 r7 1 1 -1 r8 1 1 -2 sg 1 1 l sh 1 1 k sj 1 1 g sn 1 1 -1 ss 1 1 e
st 1 1 b su 1 1 l t5 1 1 -1 u1 1 1 -1 uo 1 1 -r up 1 1 -s ur 1 1 -w uv 1 1 -1 v0 1 1 -y v1 1 1 -11 v2 1 1 -r
vq 2 1 -2 xt 1 1 -4r xu 1 1 -3w y8 1 1 -5c y9 1 1 -4h ya 1 1 -5e yb 1 1 -4j ye 1 1 -5d yf 1 1 -4i yi 2 1 -2 yk
1 1 -5i yl 1 1 -4n ym 1 1 -5j yn 1 1 -4o yq 1 1 -5m yr 1 1 -4r ys 1 1 -5o yt 1 1 -4t yu 1 1 -5k yv 1 1 -4p yy
2 1 -2 z0 1 1 -5b z1 1 1 -4g z2 1 1 -5n z3 1 1 -4s z4 1 1 -5p z5 1 1 -4u z6 1 1 -5r z7 1 1 -4w z8 1 1 -5p z9 1
1 -4u zc 1 1 -5p zd 1 1 -4u
`;

/** Letters, numbers and the underscore: first, last, ... */
export const wordRanges: readonly number[] = [
  48, 57, 65, 90, 95, 95, 97, 122, 170, 170, 178, 179, 181, 181, 185, 186, 188, 190, 192, 214, 216, 246, 248, 705, 710,
  721, 736, 740, 748, 748, 750, 750, 880, 884, 886, 887, 890, 893, 895, 895, 902, 902, 904, 906, 908, 908, 910, 929,
  931, 1013, 1015, 1153, 1162, 1327, 1329, 1366, 1369, 1369, 1376, 1416, 1488, 1514, 1519, 1522, 1568, 1610, 1632, 1641,
  1646, 1647, 1649, 1747, 1749, 1749, 1765, 1766, 1774, 1788, 1791, 1791, 1808, 1808, 1810, 1839, 1869, 1957, 1969,
  1969, 1984, 2026, 2036, 2037, 2042, 2042, 2048, 2069, 2074, 2074, 2084, 2084, 2088, 2088, 2112, 2136, 2144, 2154,
  2160, 2183, 2185, 2191, 2208, 2249, 2308, 2361, 2365, 2365, 2384, 2384, 2392, 2401, 2406, 2415, 2417, 2432, 2437,
  2444, 2447, 2448, 2451, 2472, 2474, 2480, 2482, 2482, 2486, 2489, 2493, 2493, 2510, 2510, 2524, 2525, 2527, 2529,
  2534, 2545, 2548, 2553, 2556, 2556, 2565, 2570, 2575, 2576, 2579, 2600, 2602, 2608, 2610, 2611, 2613, 2614, 2616,
  2617, 2649, 2652, 2654, 2654, 2662, 2671, 2674, 2676, 2693, 2701, 2703, 2705, 2707, 2728, 2730, 2736, 2738, 2739,
  2741, 2745, 2749, 2749, 2768, 2768, 2784, 2785, 2790, 2799, 2809, 2809, 2821, 2828, 2831, 2832, 2835, 2856, 2858,
  2864, 2866, 2867, 2869, 2873, 2877, 2877, 2908, 2909, 2911, 2913, 2918, 2927, 2929, 2935, 2947, 2947, 2949, 2954,
  2958, 2960, 2962, 2965, 2969, 2970, 2972, 2972, 2974, 2975, 2979, 2980, 2984, 2986, 2990, 3001, 3024, 3024, 3046,
  3058, 3077, 3084, 3086, 3088, 3090, 3112, 3114, 3129, 3133, 3133, 3160, 3162, 3164, 3165, 3168, 3169, 3174, 3183,
  3192, 3198, 3200, 3200, 3205, 3212, 3214, 3216, 3218, 3240, 3242, 3251, 3253, 3257, 3261, 3261, 3292, 3294, 3296,
  3297, 3302, 3311, 3313, 3314, 3332, 3340, 3342, 3344, 3346, 3386, 3389, 3389, 3406, 3406, 3412, 3414, 3416, 3425,
  3430, 3448, 3450, 3455, 3461, 3478, 3482, 3505, 3507, 3515, 3517, 3517, 3520, 3526, 3558, 3567, 3585, 3632, 3634,
  3635, 3648, 3654, 3664, 3673, 3713, 3714, 3716, 3716, 3718, 3722, 3724, 3747, 3749, 3749, 3751, 3760, 3762, 3763,
  3773, 3773, 3776, 3780, 3782, 3782, 3792, 3801, 3804, 3807, 3840, 3840, 3872, 3891, 3904, 3911, 3913, 3948, 3976,
  3980, 4096, 4138, 4159, 4169, 4176, 4181, 4186, 4189, 4193, 4193, 4197, 4198, 4206, 4208, 4213, 4225, 4238, 4238,
  4240, 4249, 4256, 4293, 4295, 4295, 4301, 4301, 4304, 4346, 4348, 4680, 4682, 4685, 4688, 4694, 4696, 4696, 4698,
  4701, 4704, 4744, 4746, 4749, 4752, 4784, 4786, 4789, 4792, 4798, 4800, 4800, 4802, 4805, 4808, 4822, 4824, 4880,
  4882, 4885, 4888, 4954, 4969, 4988, 4992, 5007, 5024, 5109, 5112, 5117, 5121, 5740, 5743, 5759, 5761, 5786, 5792,
  5866, 5870, 5880, 5888, 5905, 5919, 5937, 5952, 5969, 5984, 5996, 5998, 6000, 6016, 6067, 6103, 6103, 6108, 6108,
  6112, 6121, 6128, 6137, 6160, 6169, 6176, 6264, 6272, 6276, 6279, 6312, 6314, 6314, 6320, 6389, 6400, 6430, 6470,
  6509, 6512, 6516, 6528, 6571, 6576, 6601, 6608, 6618, 6656, 6678, 6688, 6740, 6784, 6793, 6800, 6809, 6823, 6823,
  6917, 6963, 6981, 6988, 6992, 7001, 7043, 7072, 7086, 7141, 7168, 7203, 7232, 7241, 7245, 7293, 7296, 7306, 7312,
  7354, 7357, 7359, 7401, 7404, 7406, 7411, 7413, 7414, 7418, 7418, 7424, 7615, 7680, 7957, 7960, 7965, 7968, 8005,
  8008, 8013, 8016, 8023, 8025, 8025, 8027, 8027, 8029, 8029, 8031, 8061, 8064, 8116, 8118, 8124, 8126, 8126, 8130,
  8132, 8134, 8140, 8144, 8147, 8150, 8155, 8160, 8172, 8178, 8180, 8182, 8188, 8304, 8305, 8308, 8313, 8319, 8329,
  8336, 8348, 8450, 8450, 8455, 8455, 8458, 8467, 8469, 8469, 8473, 8477, 8484, 8484, 8486, 8486, 8488, 8488, 8490,
  8493, 8495, 8505, 8508, 8511, 8517, 8521, 8526, 8526, 8528, 8585, 9312, 9371, 9450, 9471, 10102, 10131, 11264, 11492,
  11499, 11502, 11506, 11507, 11517, 11517, 11520, 11557, 11559, 11559, 11565, 11565, 11568, 11623, 11631, 11631, 11648,
  11670, 11680, 11686, 11688, 11694, 11696, 11702, 11704, 11710, 11712, 11718, 11720, 11726, 11728, 11734, 11736, 11742,
  11823, 11823, 12293, 12295, 12321, 12329, 12337, 12341, 12344, 12348, 12353, 12438, 12445, 12447, 12449, 12538, 12540,
  12543, 12549, 12591, 12593, 12686, 12690, 12693, 12704, 12735, 12784, 12799, 12832, 12841, 12872, 12879, 12881, 12895,
  12928, 12937, 12977, 12991, 13312, 19903, 19968, 42124, 42192, 42237, 42240, 42508, 42512, 42539, 42560, 42606, 42623,
  42653, 42656, 42735, 42775, 42783, 42786, 42888, 42891, 42972, 42993, 43009, 43011, 43013, 43015, 43018, 43020, 43042,
  43056, 43061, 43072, 43123, 43138, 43187, 43216, 43225, 43250, 43255, 43259, 43259, 43261, 43262, 43264, 43301, 43312,
  43334, 43360, 43388, 43396, 43442, 43471, 43481, 43488, 43492, 43494, 43518, 43520, 43560, 43584, 43586, 43588, 43595,
  43600, 43609, 43616, 43638, 43642, 43642, 43646, 43695, 43697, 43697, 43701, 43702, 43705, 43709, 43712, 43712, 43714,
  43714, 43739, 43741, 43744, 43754, 43762, 43764, 43777, 43782, 43785, 43790, 43793, 43798, 43808, 43814, 43816, 43822,
  43824, 43866, 43868, 43881, 43888, 44002, 44016, 44025, 44032, 55203, 55216, 55238, 55243, 55291, 63744, 64109, 64112,
  64217, 64256, 64262, 64275, 64279, 64285, 64285, 64287, 64296, 64298, 64310, 64312, 64316, 64318, 64318, 64320, 64321,
  64323, 64324, 64326, 64433, 64467, 64829, 64848, 64911, 64914, 64967, 65008, 65019, 65136, 65140, 65142, 65276, 65296,
  65305, 65313, 65338, 65345, 65370, 65382, 65470, 65474, 65479, 65482, 65487, 65490, 65495, 65498, 65500, 65536, 65547,
  65549, 65574, 65576, 65594, 65596, 65597, 65599, 65613, 65616, 65629, 65664, 65786, 65799, 65843, 65856, 65912, 65930,
  65931, 66176, 66204, 66208, 66256, 66273, 66299, 66304, 66339, 66349, 66378, 66384, 66421, 66432, 66461, 66464, 66499,
  66504, 66511, 66513, 66517, 66560, 66717, 66720, 66729, 66736, 66771, 66776, 66811, 66816, 66855, 66864, 66915, 66928,
  66938, 66940, 66954, 66956, 66962, 66964, 66965, 66967, 66977, 66979, 66993, 66995, 67001, 67003, 67004, 67008, 67059,
  67072, 67382, 67392, 67413, 67424, 67431, 67456, 67461, 67463, 67504, 67506, 67514, 67584, 67589, 67592, 67592, 67594,
  67637, 67639, 67640, 67644, 67644, 67647, 67669, 67672, 67702, 67705, 67742, 67751, 67759, 67808, 67826, 67828, 67829,
  67835, 67867, 67872, 67897, 67904, 67929, 67968, 68023, 68028, 68047, 68050, 68096, 68112, 68115, 68117, 68119, 68121,
  68149, 68160, 68168, 68192, 68222, 68224, 68255, 68288, 68295, 68297, 68324, 68331, 68335, 68352, 68405, 68416, 68437,
  68440, 68466, 68472, 68497, 68521, 68527, 68608, 68680, 68736, 68786, 68800, 68850, 68858, 68899, 68912, 68921, 68928,
  68965, 68975, 68997, 69216, 69246, 69248, 69289, 69296, 69297, 69314, 69319, 69376, 69415, 69424, 69445, 69457, 69460,
  69488, 69505, 69552, 69579, 69600, 69622, 69635, 69687, 69714, 69743, 69745, 69746, 69749, 69749, 69763, 69807, 69840,
  69864, 69872, 69881, 69891, 69926, 69942, 69951, 69956, 69956, 69959, 69959, 69968, 70002, 70006, 70006, 70019, 70066,
  70081, 70084, 70096, 70106, 70108, 70108, 70113, 70132, 70144, 70161, 70163, 70187, 70207, 70208, 70272, 70278, 70280,
  70280, 70282, 70285, 70287, 70301, 70303, 70312, 70320, 70366, 70384, 70393, 70405, 70412, 70415, 70416, 70419, 70440,
  70442, 70448, 70450, 70451, 70453, 70457, 70461, 70461, 70480, 70480, 70493, 70497, 70528, 70537, 70539, 70539, 70542,
  70542, 70544, 70581, 70583, 70583, 70609, 70609, 70611, 70611, 70656, 70708, 70727, 70730, 70736, 70745, 70751, 70753,
  70784, 70831, 70852, 70853, 70855, 70855, 70864, 70873, 71040, 71086, 71128, 71131, 71168, 71215, 71236, 71236, 71248,
  71257, 71296, 71338, 71352, 71352, 71360, 71369, 71376, 71395, 71424, 71450, 71472, 71483, 71488, 71494, 71680, 71723,
  71840, 71922, 71935, 71942, 71945, 71945, 71948, 71955, 71957, 71958, 71960, 71983, 71999, 71999, 72001, 72001, 72016,
  72025, 72096, 72103, 72106, 72144, 72161, 72161, 72163, 72163, 72192, 72192, 72203, 72242, 72250, 72250, 72272, 72272,
  72284, 72329, 72349, 72349, 72368, 72440, 72640, 72672, 72688, 72697, 72704, 72712, 72714, 72750, 72768, 72768, 72784,
  72812, 72818, 72847, 72960, 72966, 72968, 72969, 72971, 73008, 73030, 73030, 73040, 73049, 73056, 73061, 73063, 73064,
  73066, 73097, 73112, 73112, 73120, 73129, 73136, 73179, 73184, 73193, 73440, 73458, 73474, 73474, 73476, 73488, 73490,
  73523, 73552, 73561, 73648, 73648, 73664, 73684, 73728, 74649, 74752, 74862, 74880, 75075, 77712, 77808, 77824, 78895,
  78913, 78918, 78944, 82938, 82944, 83526, 90368, 90397, 90416, 90425, 92160, 92728, 92736, 92766, 92768, 92777, 92784,
  92862, 92864, 92873, 92880, 92909, 92928, 92975, 92992, 92995, 93008, 93017, 93019, 93025, 93027, 93047, 93053, 93071,
  93504, 93548, 93552, 93561, 93760, 93846, 93856, 93880, 93883, 93907, 93952, 94026, 94032, 94032, 94099, 94111, 94176,
  94177, 94179, 94179, 94194, 94198, 94208, 101589, 101631, 101662, 101760, 101874, 110576, 110579, 110581, 110587,
  110589, 110590, 110592, 110882, 110898, 110898, 110928, 110930, 110933, 110933, 110948, 110951, 110960, 111355,
  113664, 113770, 113776, 113788, 113792, 113800, 113808, 113817, 118000, 118009, 119488, 119507, 119520, 119539,
  119648, 119672, 119808, 119892, 119894, 119964, 119966, 119967, 119970, 119970, 119973, 119974, 119977, 119980,
  119982, 119993, 119995, 119995, 119997, 120003, 120005, 120069, 120071, 120074, 120077, 120084, 120086, 120092,
  120094, 120121, 120123, 120126, 120128, 120132, 120134, 120134, 120138, 120144, 120146, 120485, 120488, 120512,
  120514, 120538, 120540, 120570, 120572, 120596, 120598, 120628, 120630, 120654, 120656, 120686, 120688, 120712,
  120714, 120744, 120746, 120770, 120772, 120779, 120782, 120831, 122624, 122654, 122661, 122666, 122928, 122989,
  123136, 123180, 123191, 123197, 123200, 123209, 123214, 123214, 123536, 123565, 123584, 123627, 123632, 123641,
  124112, 124139, 124144, 124153, 124368, 124397, 124400, 124410, 124608, 124638, 124640, 124642, 124644, 124645,
  124647, 124653, 124656, 124660, 124670, 124671, 124896, 124902, 124904, 124907, 124909, 124910, 124912, 124926,
  124928, 125124, 125127, 125135, 125184, 125251, 125259, 125259, 125264, 125273, 126065, 126123, 126125, 126127,
  126129, 126132, 126209, 126253, 126255, 126269, 126464, 126467, 126469, 126495, 126497, 126498, 126500, 126500,
  126503, 126503, 126505, 126514, 126516, 126519, 126521, 126521, 126523, 126523, 126530, 126530, 126535, 126535,
  126537, 126537, 126539, 126539, 126541, 126543, 126545, 126546, 126548, 126548, 126551, 126551, 126553, 126553,
  126555, 126555, 126557, 126557, 126559, 126559, 126561, 126562, 126564, 126564, 126567, 126570, 126572, 126578,
  126580, 126583, 126585, 126588, 126590, 126590, 126592, 126601, 126603, 126619, 126625, 126627, 126629, 126633,
  126635, 126651, 127232, 127244, 130032, 130041, 131072, 173791, 173824, 178205, 178208, 183981, 183984, 191456,
  191472, 192093, 194560, 195101, 196608, 201546, 201552, 210041,
];

/** Cased: first, last, ... */
export const casedRanges: readonly number[] = [
  65, 90, 97, 122, 170, 170, 181, 181, 186, 186, 192, 214, 216, 246, 248, 442, 444, 447, 452, 659, 662, 696, 704, 705,
  736, 740, 837, 837, 880, 883, 886, 887, 890, 893, 895, 895, 902, 902, 904, 906, 908, 908, 910, 929, 931, 1013, 1015,
  1153, 1162, 1327, 1329, 1366, 1376, 1416, 4256, 4293, 4295, 4295, 4301, 4301, 4304, 4346, 4348, 4351, 5024, 5109,
  5112, 5117, 7296, 7306, 7312, 7354, 7357, 7359, 7424, 7615, 7680, 7957, 7960, 7965, 7968, 8005, 8008, 8013, 8016,
  8023, 8025, 8025, 8027, 8027, 8029, 8029, 8031, 8061, 8064, 8116, 8118, 8124, 8126, 8126, 8130, 8132, 8134, 8140,
  8144, 8147, 8150, 8155, 8160, 8172, 8178, 8180, 8182, 8188, 8305, 8305, 8319, 8319, 8336, 8348, 8450, 8450, 8455,
  8455, 8458, 8467, 8469, 8469, 8473, 8477, 8484, 8484, 8486, 8486, 8488, 8488, 8490, 8493, 8495, 8500, 8505, 8505,
  8508, 8511, 8517, 8521, 8526, 8526, 8544, 8575, 8579, 8580, 9398, 9449, 11264, 11492, 11499, 11502, 11506, 11507,
  11520, 11557, 11559, 11559, 11565, 11565, 42560, 42605, 42624, 42653, 42786, 42887, 42891, 42894, 42896, 42972, 42993,
  42998, 43000, 43002, 43824, 43866, 43868, 43881, 43888, 43967, 64256, 64262, 64275, 64279, 65313, 65338, 65345, 65370,
  66560, 66639, 66736, 66771, 66776, 66811, 66928, 66938, 66940, 66954, 66956, 66962, 66964, 66965, 66967, 66977, 66979,
  66993, 66995, 67001, 67003, 67004, 67456, 67456, 67459, 67461, 67463, 67504, 67506, 67514, 68736, 68786, 68800, 68850,
  68944, 68965, 68976, 68997, 71840, 71903, 93760, 93823, 93856, 93880, 93883, 93907, 119808, 119892, 119894, 119964,
  119966, 119967, 119970, 119970, 119973, 119974, 119977, 119980, 119982, 119993, 119995, 119995, 119997, 120003,
  120005, 120069, 120071, 120074, 120077, 120084, 120086, 120092, 120094, 120121, 120123, 120126, 120128, 120132,
  120134, 120134, 120138, 120144, 120146, 120485, 120488, 120512, 120514, 120538, 120540, 120570, 120572, 120596,
  120598, 120628, 120630, 120654, 120656, 120686, 120688, 120712, 120714, 120744, 120746, 120770, 120772, 120779,
  122624, 122633, 122635, 122654, 122661, 122666, 122928, 122989, 125184, 125251, 127280, 127305, 127312, 127337,
  127344, 127369,
];

/** Case_Ignorable: first, last, ... */
export const caseIgnorableRanges: readonly number[] = [
  39, 39, 46, 46, 58, 58, 94, 94, 96, 96, 168, 168, 173, 173, 175, 175, 180, 180, 183, 184, 688, 879, 884, 885, 890,
  890, 900, 901, 903, 903, 1155, 1161, 1369, 1369, 1375, 1375, 1425, 1469, 1471, 1471, 1473, 1474, 1476, 1477, 1479,
  1479, 1524, 1524, 1536, 1541, 1552, 1562, 1564, 1564, 1600, 1600, 1611, 1631, 1648, 1648, 1750, 1757, 1759, 1768,
  1770, 1773, 1807, 1807, 1809, 1809, 1840, 1866, 1958, 1968, 2027, 2037, 2042, 2042, 2045, 2045, 2070, 2093, 2137,
  2139, 2184, 2184, 2192, 2193, 2199, 2207, 2249, 2306, 2362, 2362, 2364, 2364, 2369, 2376, 2381, 2381, 2385, 2391,
  2402, 2403, 2417, 2417, 2433, 2433, 2492, 2492, 2497, 2500, 2509, 2509, 2530, 2531, 2558, 2558, 2561, 2562, 2620,
  2620, 2625, 2626, 2631, 2632, 2635, 2637, 2641, 2641, 2672, 2673, 2677, 2677, 2689, 2690, 2748, 2748, 2753, 2757,
  2759, 2760, 2765, 2765, 2786, 2787, 2810, 2815, 2817, 2817, 2876, 2876, 2879, 2879, 2881, 2884, 2893, 2893, 2901,
  2902, 2914, 2915, 2946, 2946, 3008, 3008, 3021, 3021, 3072, 3072, 3076, 3076, 3132, 3132, 3134, 3136, 3142, 3144,
  3146, 3149, 3157, 3158, 3170, 3171, 3201, 3201, 3260, 3260, 3263, 3263, 3270, 3270, 3276, 3277, 3298, 3299, 3328,
  3329, 3387, 3388, 3393, 3396, 3405, 3405, 3426, 3427, 3457, 3457, 3530, 3530, 3538, 3540, 3542, 3542, 3633, 3633,
  3636, 3642, 3654, 3662, 3761, 3761, 3764, 3772, 3782, 3782, 3784, 3790, 3864, 3865, 3893, 3893, 3895, 3895, 3897,
  3897, 3953, 3966, 3968, 3972, 3974, 3975, 3981, 3991, 3993, 4028, 4038, 4038, 4141, 4144, 4146, 4151, 4153, 4154,
  4157, 4158, 4184, 4185, 4190, 4192, 4209, 4212, 4226, 4226, 4229, 4230, 4237, 4237, 4253, 4253, 4348, 4348, 4957,
  4959, 5906, 5908, 5938, 5939, 5970, 5971, 6002, 6003, 6068, 6069, 6071, 6077, 6086, 6086, 6089, 6099, 6103, 6103,
  6109, 6109, 6155, 6159, 6211, 6211, 6277, 6278, 6313, 6313, 6432, 6434, 6439, 6440, 6450, 6450, 6457, 6459, 6679,
  6680, 6683, 6683, 6742, 6742, 6744, 6750, 6752, 6752, 6754, 6754, 6757, 6764, 6771, 6780, 6783, 6783, 6823, 6823,
  6832, 6877, 6880, 6891, 6912, 6915, 6964, 6964, 6966, 6970, 6972, 6972, 6978, 6978, 7019, 7027, 7040, 7041, 7074,
  7077, 7080, 7081, 7083, 7085, 7142, 7142, 7144, 7145, 7149, 7149, 7151, 7153, 7212, 7219, 7222, 7223, 7288, 7293,
  7376, 7378, 7380, 7392, 7394, 7400, 7405, 7405, 7412, 7412, 7416, 7417, 7468, 7530, 7544, 7544, 7579, 7679, 8125,
  8125, 8127, 8129, 8141, 8143, 8157, 8159, 8173, 8175, 8189, 8190, 8203, 8207, 8216, 8217, 8228, 8228, 8231, 8231,
  8234, 8238, 8288, 8292, 8294, 8303, 8305, 8305, 8319, 8319, 8336, 8348, 8400, 8432, 11388, 11389, 11503, 11505, 11631,
  11631, 11647, 11647, 11744, 11775, 11823, 11823, 12293, 12293, 12330, 12333, 12337, 12341, 12347, 12347, 12441, 12446,
  12540, 12542, 40981, 40981, 42232, 42237, 42508, 42508, 42607, 42610, 42612, 42621, 42623, 42623, 42652, 42655, 42736,
  42737, 42752, 42785, 42864, 42864, 42888, 42890, 42993, 42996, 43000, 43001, 43010, 43010, 43014, 43014, 43019, 43019,
  43045, 43046, 43052, 43052, 43204, 43205, 43232, 43249, 43263, 43263, 43302, 43309, 43335, 43345, 43392, 43394, 43443,
  43443, 43446, 43449, 43452, 43453, 43471, 43471, 43493, 43494, 43561, 43566, 43569, 43570, 43573, 43574, 43587, 43587,
  43596, 43596, 43632, 43632, 43644, 43644, 43696, 43696, 43698, 43700, 43703, 43704, 43710, 43711, 43713, 43713, 43741,
  43741, 43756, 43757, 43763, 43764, 43766, 43766, 43867, 43871, 43881, 43883, 44005, 44005, 44008, 44008, 44013, 44013,
  64286, 64286, 64434, 64450, 65024, 65039, 65043, 65043, 65056, 65071, 65106, 65106, 65109, 65109, 65279, 65279, 65287,
  65287, 65294, 65294, 65306, 65306, 65342, 65342, 65344, 65344, 65392, 65392, 65438, 65439, 65507, 65507, 65529, 65531,
  66045, 66045, 66272, 66272, 66422, 66426, 67456, 67461, 67463, 67504, 67506, 67514, 68097, 68099, 68101, 68102, 68108,
  68111, 68152, 68154, 68159, 68159, 68325, 68326, 68900, 68903, 68942, 68942, 68969, 68973, 68975, 68975, 69291, 69292,
  69317, 69317, 69370, 69375, 69446, 69456, 69506, 69509, 69633, 69633, 69688, 69702, 69744, 69744, 69747, 69748, 69759,
  69761, 69811, 69814, 69817, 69818, 69821, 69821, 69826, 69826, 69837, 69837, 69888, 69890, 69927, 69931, 69933, 69940,
  70003, 70003, 70016, 70017, 70070, 70078, 70089, 70092, 70095, 70095, 70191, 70193, 70196, 70196, 70198, 70199, 70206,
  70206, 70209, 70209, 70367, 70367, 70371, 70378, 70400, 70401, 70459, 70460, 70464, 70464, 70502, 70508, 70512, 70516,
  70587, 70592, 70606, 70606, 70608, 70608, 70610, 70610, 70625, 70626, 70712, 70719, 70722, 70724, 70726, 70726, 70750,
  70750, 70835, 70840, 70842, 70842, 70847, 70848, 70850, 70851, 71090, 71093, 71100, 71101, 71103, 71104, 71132, 71133,
  71219, 71226, 71229, 71229, 71231, 71232, 71339, 71339, 71341, 71341, 71344, 71349, 71351, 71351, 71453, 71453, 71455,
  71455, 71458, 71461, 71463, 71467, 71727, 71735, 71737, 71738, 71995, 71996, 71998, 71998, 72003, 72003, 72148, 72151,
  72154, 72155, 72160, 72160, 72193, 72202, 72243, 72248, 72251, 72254, 72263, 72263, 72273, 72278, 72281, 72283, 72330,
  72342, 72344, 72345, 72544, 72544, 72546, 72548, 72550, 72550, 72752, 72758, 72760, 72765, 72767, 72767, 72850, 72871,
  72874, 72880, 72882, 72883, 72885, 72886, 73009, 73014, 73018, 73018, 73020, 73021, 73023, 73029, 73031, 73031, 73104,
  73105, 73109, 73109, 73111, 73111, 73177, 73177, 73459, 73460, 73472, 73473, 73526, 73530, 73536, 73536, 73538, 73538,
  73562, 73562, 78896, 78912, 78919, 78933, 90398, 90409, 90413, 90415, 92912, 92916, 92976, 92982, 92992, 92995, 93504,
  93506, 93547, 93548, 94031, 94031, 94095, 94111, 94176, 94177, 94179, 94180, 94194, 94195, 110576, 110579, 110581,
  110587, 110589, 110590, 113821, 113822, 113824, 113827, 118528, 118573, 118576, 118598, 119143, 119145, 119155,
  119170, 119173, 119179, 119210, 119213, 119362, 119364, 121344, 121398, 121403, 121452, 121461, 121461, 121476,
  121476, 121499, 121503, 121505, 121519, 122880, 122886, 122888, 122904, 122907, 122913, 122915, 122916, 122918,
  122922, 122928, 122989, 123023, 123023, 123184, 123197, 123566, 123566, 123628, 123631, 124139, 124143, 124398,
  124399, 124643, 124643, 124646, 124646, 124654, 124655, 124661, 124661, 124671, 124671, 125136, 125142, 125252,
  125259, 127995, 127999, 917505, 917505, 917536, 917631, 917760, 917999,
];

/** General category P: first, last, ... */
export const punctuationRanges: readonly number[] = [
  33, 35, 37, 42, 44, 47, 58, 59, 63, 64, 91, 93, 95, 95, 123, 123, 125, 125, 161, 161, 167, 167, 171, 171, 182, 183,
  187, 187, 191, 191, 894, 894, 903, 903, 1370, 1375, 1417, 1418, 1470, 1470, 1472, 1472, 1475, 1475, 1478, 1478, 1523,
  1524, 1545, 1546, 1548, 1549, 1563, 1563, 1565, 1567, 1642, 1645, 1748, 1748, 1792, 1805, 2039, 2041, 2096, 2110,
  2142, 2142, 2404, 2405, 2416, 2416, 2557, 2557, 2678, 2678, 2800, 2800, 3191, 3191, 3204, 3204, 3572, 3572, 3663,
  3663, 3674, 3675, 3844, 3858, 3860, 3860, 3898, 3901, 3973, 3973, 4048, 4052, 4057, 4058, 4170, 4175, 4347, 4347,
  4960, 4968, 5120, 5120, 5742, 5742, 5787, 5788, 5867, 5869, 5941, 5942, 6100, 6102, 6104, 6106, 6144, 6154, 6468,
  6469, 6686, 6687, 6816, 6822, 6824, 6829, 6990, 6991, 7002, 7008, 7037, 7039, 7164, 7167, 7227, 7231, 7294, 7295,
  7360, 7367, 7379, 7379, 8208, 8231, 8240, 8259, 8261, 8273, 8275, 8286, 8317, 8318, 8333, 8334, 8968, 8971, 9001,
  9002, 10088, 10101, 10181, 10182, 10214, 10223, 10627, 10648, 10712, 10715, 10748, 10749, 11513, 11516, 11518, 11519,
  11632, 11632, 11776, 11822, 11824, 11855, 11858, 11869, 12289, 12291, 12296, 12305, 12308, 12319, 12336, 12336, 12349,
  12349, 12448, 12448, 12539, 12539, 42238, 42239, 42509, 42511, 42611, 42611, 42622, 42622, 42738, 42743, 43124, 43127,
  43214, 43215, 43256, 43258, 43260, 43260, 43310, 43311, 43359, 43359, 43457, 43469, 43486, 43487, 43612, 43615, 43742,
  43743, 43760, 43761, 44011, 44011, 64830, 64831, 65040, 65049, 65072, 65106, 65108, 65121, 65123, 65123, 65128, 65128,
  65130, 65131, 65281, 65283, 65285, 65290, 65292, 65295, 65306, 65307, 65311, 65312, 65339, 65341, 65343, 65343, 65371,
  65371, 65373, 65373, 65375, 65381, 65792, 65794, 66463, 66463, 66512, 66512, 66927, 66927, 67671, 67671, 67871, 67871,
  67903, 67903, 68176, 68184, 68223, 68223, 68336, 68342, 68409, 68415, 68505, 68508, 68974, 68974, 69293, 69293, 69328,
  69328, 69461, 69465, 69510, 69513, 69703, 69709, 69819, 69820, 69822, 69825, 69952, 69955, 70004, 70005, 70085, 70088,
  70093, 70093, 70107, 70107, 70109, 70111, 70200, 70205, 70313, 70313, 70612, 70613, 70615, 70616, 70731, 70735, 70746,
  70747, 70749, 70749, 70854, 70854, 71105, 71127, 71233, 71235, 71264, 71276, 71353, 71353, 71484, 71486, 71739, 71739,
  72004, 72006, 72162, 72162, 72255, 72262, 72346, 72348, 72350, 72354, 72448, 72457, 72673, 72673, 72769, 72773, 72816,
  72817, 73463, 73464, 73539, 73551, 73727, 73727, 74864, 74868, 77809, 77810, 92782, 92783, 92917, 92917, 92983, 92987,
  92996, 92996, 93549, 93551, 93847, 93850, 94178, 94178, 113823, 113823, 121479, 121483, 124415, 124415, 125278,
  125279,
];

/** General category N: first, last, ... */
export const numberRanges: readonly number[] = [
  48, 57, 178, 179, 185, 185, 188, 190, 1632, 1641, 1776, 1785, 1984, 1993, 2406, 2415, 2534, 2543, 2548, 2553, 2662,
  2671, 2790, 2799, 2918, 2927, 2930, 2935, 3046, 3058, 3174, 3183, 3192, 3198, 3302, 3311, 3416, 3422, 3430, 3448,
  3558, 3567, 3664, 3673, 3792, 3801, 3872, 3891, 4160, 4169, 4240, 4249, 4969, 4988, 5870, 5872, 6112, 6121, 6128,
  6137, 6160, 6169, 6470, 6479, 6608, 6618, 6784, 6793, 6800, 6809, 6992, 7001, 7088, 7097, 7232, 7241, 7248, 7257,
  8304, 8304, 8308, 8313, 8320, 8329, 8528, 8578, 8581, 8585, 9312, 9371, 9450, 9471, 10102, 10131, 11517, 11517, 12295,
  12295, 12321, 12329, 12344, 12346, 12690, 12693, 12832, 12841, 12872, 12879, 12881, 12895, 12928, 12937, 12977, 12991,
  42528, 42537, 42726, 42735, 43056, 43061, 43216, 43225, 43264, 43273, 43472, 43481, 43504, 43513, 43600, 43609, 44016,
  44025, 65296, 65305, 65799, 65843, 65856, 65912, 65930, 65931, 66273, 66299, 66336, 66339, 66369, 66369, 66378, 66378,
  66513, 66517, 66720, 66729, 67672, 67679, 67705, 67711, 67751, 67759, 67835, 67839, 67862, 67867, 68028, 68029, 68032,
  68047, 68050, 68095, 68160, 68168, 68221, 68222, 68253, 68255, 68331, 68335, 68440, 68447, 68472, 68479, 68521, 68527,
  68858, 68863, 68912, 68921, 68928, 68937, 69216, 69246, 69405, 69414, 69457, 69460, 69573, 69579, 69714, 69743, 69872,
  69881, 69942, 69951, 70096, 70105, 70113, 70132, 70384, 70393, 70736, 70745, 70864, 70873, 71248, 71257, 71360, 71369,
  71376, 71395, 71472, 71483, 71904, 71922, 72016, 72025, 72688, 72697, 72784, 72812, 73040, 73049, 73120, 73129, 73184,
  73193, 73552, 73561, 73664, 73684, 74752, 74862, 90416, 90425, 92768, 92777, 92864, 92873, 93008, 93017, 93019, 93025,
  93552, 93561, 93824, 93846, 94196, 94198, 118000, 118009, 119488, 119507, 119520, 119539, 119648, 119672, 120782,
  120831, 123200, 123209, 123632, 123641, 124144, 124153, 124401, 124410, 125127, 125135, 125264, 125273, 126065,
  126123, 126125, 126127, 126129, 126132, 126209, 126253, 126255, 126269, 127232, 127244, 130032, 130041,
];
