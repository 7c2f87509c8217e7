-- What the pages of the shop ask the database for. A request is a page: all its statements, one
-- after the other. As on most pages, each looks for a few rows by a key. Those that change
-- something take it back, so that a page always has the same answer.

-- a customer logs in
SELECT id, name, mail FROM customer WHERE mail = 'C42@EXAMPLE.org';
SELECT json_value(settings, '$.theme'), json_extract(settings, '$.letters[1]')
    FROM customer WHERE id = 42;
SELECT name, country FROM town WHERE id = 9;
SELECT day, state, (SELECT count(*) FROM line WHERE line.sale = sale.id)
    FROM sale WHERE customer = 203 ORDER BY day DESC LIMIT 2;
SELECT date_format(since, '%Y-%m'), datediff('2024-01-01', since) FROM customer WHERE id = 42;

-- a kind of products
SELECT name, price, stock FROM product WHERE kind = 7 ORDER BY price LIMIT 3;
SELECT k.name, p.name FROM kind k LEFT JOIN kind p ON p.id = k.parent WHERE k.id = 29;
WITH cheap AS (SELECT id, name, price FROM product WHERE kind = 5 AND price < 10)
    SELECT name, rank() OVER (ORDER BY price DESC) FROM cheap;
SELECT coalesce(min(price), 0), max(if(stock > 9990, price, 0)) FROM product
    WHERE kind = 12 AND price < 10;
SELECT id, CASE WHEN price < 10 THEN 'low' WHEN price < 50 THEN 'middle' ELSE 'high' END AS class
    FROM product WHERE id IN (3, 77, 191);

-- a product
SELECT p.name, k.name, p.price * 1.19 FROM product p JOIN kind k ON k.id = p.kind WHERE p.id = 77;
SELECT count(*), avg(stars) FROM review WHERE product = 22;
SELECT stars, text, name FROM review JOIN customer ON customer.id = review.customer
    WHERE product = 22 ORDER BY review.id LIMIT 2;
SELECT DISTINCT other.product FROM line JOIN line other ON other.sale = line.sale
    WHERE line.product = 22 AND line.sale < 700 AND other.product <> 22 ORDER BY 1 LIMIT 3;
SELECT json_object('id', id, 'name', name, 'price', price) FROM product WHERE id = 12;
SELECT about LIKE '%garden%', about REGEXP 'blue.*(winters|offices)', upper(substr(about, 1, 9))
    FROM product WHERE id = 47;

-- the basket
PREPARE chosen FROM 'SELECT name, price FROM product WHERE id = ? AND price > ?';
EXECUTE chosen USING 6, 20;
EXECUTE chosen USING 9, 1;
DEALLOCATE PREPARE chosen;
START TRANSACTION;
INSERT INTO sale (id, customer, day) VALUES (100001, 17, '2023-12-24' + INTERVAL 1 DAY);
INSERT INTO line VALUES (100001, 20, 2, 5.5), (100001, 41, 1, 7);
SELECT total FROM turnover WHERE sale = 100001;
SELECT stock FROM product WHERE id IN (20, 41);
ROLLBACK;

-- a sale and what became of it
SELECT p.name, l.amount, l.price, l.amount * l.price AS sum
    FROM line l JOIN product p ON p.id = l.product WHERE l.sale = 811;
SELECT total FROM turnover WHERE sale = 321;
SELECT c.name, t.name FROM customer c JOIN town t ON t.id = c.town WHERE c.id = 30
    AND EXISTS (SELECT 1 FROM sale s WHERE s.customer = c.id AND s.day > '2023-11-01');
START TRANSACTION;
UPDATE sale SET state = 'sent' WHERE id = 33 AND state = 'paid';
SELECT row_count();
DELETE FROM sale WHERE id = 34;
SELECT count(*) FROM line WHERE sale = 34;
ROLLBACK;

-- the account of a customer
SELECT concat_ws('-', upper(substr(name, 1, 3)), lpad(id, 5, '0'), quote(mail))
    FROM customer WHERE id = 12;
SELECT json_set(json_remove(settings, '$.letters[0]'), '$.theme', 'blue',
    '$.seen', json_array(1, 2.5, null, 'x')) FROM customer WHERE id = 88;
SELECT p.name FROM customer c JOIN sale s ON s.customer = c.id JOIN line l ON l.sale = s.id
    JOIN product p ON p.id = l.product WHERE c.mail = 'c1@example.org' ORDER BY p.id LIMIT 2;
SELECT 'sale', id, day FROM sale WHERE id = 7
    UNION ALL SELECT 'review', id, text FROM review WHERE id = 7;
START TRANSACTION;
INSERT INTO customer VALUES (77, 'Ada', 'c77@example.org', 1, '2024-01-01', '{}')
    ON DUPLICATE KEY UPDATE name = value(name), since = greatest(since, value(since));
SELECT * FROM customer WHERE id = 77;
ROLLBACK;

-- shops nearby
SELECT name, st_astext(place), round(st_distance(place, point(30, 30)), 2) FROM town WHERE id = 17;
SELECT name FROM town
    WHERE mbrcontains(st_geomfromtext('POLYGON((20 10, 24 10, 24 14, 20 14, 20 10))'), place);
SELECT abs(st_x(a.place) - st_x(b.place)) FROM town a, town b WHERE a.id = 17 AND b.id = 18;

-- reviews
SELECT r.stars, r.text, p.name FROM review r JOIN product p ON p.id = r.product WHERE r.id = 41;
SELECT count(*), avg(stars) FROM review WHERE product = 43;
SELECT product FROM line WHERE sale = 5
    EXCEPT SELECT product FROM review WHERE id IN (5, 6) ORDER BY 1;
SELECT id, row_number() OVER (ORDER BY id) AS n, lag(stars) OVER (ORDER BY id)
    FROM review WHERE id BETWEEN 300 AND 302;

-- letters to customers
SELECT c.id, j.letter FROM customer c,
    json_table(c.settings, '$.letters[*]' COLUMNS (letter INT PATH '$')) j WHERE c.id = 19;
SELECT group_concat(name ORDER BY id DESC SEPARATOR ' / ') FROM customer WHERE id IN (8, 9);
SELECT name FROM customer WHERE name LIKE 'Nora%' AND id < 40
    AND since BETWEEN '2020-02-01' AND '2020-12-31' ORDER BY name, id LIMIT 2;

-- a search in the catalogue
SELECT id, name FROM product WHERE kind = 9 AND price BETWEEN 20 AND 24 AND about LIKE '%grams'
    ORDER BY price DESC LIMIT 3;
SELECT name, price * 1.19 FROM product WHERE id IN (101, 202) ORDER BY name;
SELECT k.name, count(*) FROM product p JOIN kind k ON k.id = p.kind
    WHERE p.id BETWEEN 30 AND 33 GROUP BY k.id HAVING count(*) > 0 ORDER BY k.id;
